// The present stop in words and numbers: rule, what it concerns, value, bound and by how much it was passed.
import type { Desk } from "../desk";
import { axisText } from "../cell";
import type { Axis } from "../messages";
import { DEG, fixed } from "../numbers";

const PORT_COMPONENTS = ["x", "y", "z", "roll", "pitch", "yaw"];
const FROM_SI: Record<string, number> = { deg: DEG, "deg/s": DEG, mm: 1e3, "mm/s": 1e3, ms: 1e3 };

export interface StopWords {
  rule: string;
  number: number;
  meaning: string;
  about: string; // axis or component; empty when it is about none
  numbers: [string, string][]; // value, bound, margin; empty for rules without numbers
  drivesOff: boolean;
  causes: string[]; // open inputs for which a reset is refused
}

export function stopWords(desk: Desk): StopWords | null {
  const number = desk.value("state.rule");
  const rule = desk.hello?.rules[String(number)];
  if (!(number > 0) || !rule) return null;
  const [axis, axes] = [desk.value("state.axis"), desk.hello?.axes ?? []];
  return {
    rule: rule.name, number, meaning: rule.meaning, about: aboutOf(axis, axes), drivesOff: rule.drives_off,
    numbers: numbersOf(axes[axis - 1]?.slides ? rule.unit.replace("deg", "mm") : rule.unit, desk.value("state.rule_value"), desk.value("state.rule_bound")),
    causes: (desk.hello?.interlocks ?? []).filter((input) => input.rule === rule.name && desk.openInterlocks().includes(input.name)).map((input) => input.name),
  };
}

/** The first numbers are axes; of a hall, 14 to 25 are components of the ports (safety/rules.py). */
function aboutOf(axis: number, axes: readonly Axis[]): string {
  if (axis >= 1 && axis <= axes.length) return axisText(axes[axis - 1]!.name);
  if (axis >= 14 && axis <= 25) return `robot ${axis < 20 ? 1 : 2} ${PORT_COMPONENTS[(axis - 14) % 6]}`;
  return "";
}

function numbersOf(unit: string, value: number, bound: number): [string, string][] {
  if (!unit || (value === 0 && bound === 0)) return [];
  const shown = (si: number) => `${fixed(si * (FROM_SI[unit] ?? 1), 3)} ${unit}`;
  return [["value", shown(value)], ["bound", shown(bound)], ["over by", shown(Math.abs(value - bound))]];
}

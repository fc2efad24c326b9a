// What image processing says of a sensor's images: what it does, why the last pose is or is not trusted, how sure, how many, how long ago.
import { el, say } from "../dom";
import type { VisionSaid } from "../messages";
import { DEG, fixed } from "../numbers";
import { inWords } from "./words";

const KINDS: Record<VisionSaid["state"], string> = { SEARCH: "warn", TRACK: "ok", LOST: "bad" };
type FactName = "trust" | "distance" | "sigma" | "accepted" | "refused" | "pose";
const FACTS: Record<FactName, [string, string]> = {
  trust: ["trust", "how clearly the last image passed what it was judged by, 0 to 1"],
  distance: ["distance", "from the sensor to the target's frame, as found in the last image"],
  sigma: ["claimed 1 σ", "largest standard deviation of place and attitude that the last pose claims"],
  accepted: ["accepted", "images whose pose was trusted, since the console began"],
  refused: ["refused", "images whose pose was not trusted, or that had none, since the console began"],
  pose: ["last pose", "since the exposure of the last image whose pose was trusted"],
};

export class VisionRow {
  private readonly state = el("span.tag.vision-state");
  private readonly words = el("span.vision-words");
  private readonly facts = Object.fromEntries(Object.keys(FACTS).map((name) => [name, el("b")])) as Record<FactName, HTMLElement>;
  readonly element: HTMLElement;

  constructor() {
    const facts = Object.entries(FACTS).map(([name, [label, title]]) => el("div.figure", { title, "data-vision": name }, el("span", null, label), this.facts[name as FactName]));
    this.element = el("div.sensor-vision.live", { "aria-label": "image processing", role: "group" }, el("div.vision-said", null, this.state, this.words), ...facts);
  }

  /** `poseAgeMs`: since the last image whose pose was trusted. */
  update(said: VisionSaid | undefined, poseAgeMs: number): void {
    const { facts } = this;
    say(this.state, said?.state ?? "–");
    this.state.className = `tag vision-state ${said ? KINDS[said.state] : ""}`;
    say(this.words, said ? saying(said) : "no image was looked through yet");
    say(facts.trust, said?.trust == null ? "–" : fixed(said.trust, 2));
    say(facts.distance, said?.distance_m == null ? "–" : `${fixed(said.distance_m, 3)} m`);
    say(facts.sigma, said ? sigmas(said) : "–");
    say(facts.accepted, said ? String(said.accepted) : "–");
    say(facts.refused, said ? String(refusedOf(said)) : "–");
    facts.refused.parentElement!.title = said && refusedOf(said) ? Object.entries(said.refused).map(([doubt, n]) => `${doubt} ${n}`).join(", ") : FACTS.refused[1];
    say(facts.pose, said?.trusted_at_ms == null ? "none yet" : `${inWords(poseAgeMs)} ago`);
  }
}

/** In words: what the newest answer was. */
export function saying(said: VisionSaid): string {
  const how = said.searched ? `image ${said.number}, searched as a whole` : `image ${said.number}`;
  return `${how}: ${said.words}`;
}

export function refusedOf(said: VisionSaid): number {
  return Object.values(said.refused).reduce((sum, n) => sum + n, 0);
}

function sigmas({ sigma_m, sigma_rad }: VisionSaid): string {
  if (sigma_m == null || sigma_rad == null) return "–";
  return `${fixed(1000 * sigma_m, sigma_m < 0.01 ? 1 : 0)} mm, ${fixed(sigma_rad * DEG, 2)}°`;
}

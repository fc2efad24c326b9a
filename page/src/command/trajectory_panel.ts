// A trajectory file: uploaded, judged line by line, answered whether the hall can show it, and only then put on the desk.
import { button, reasonOf } from "../button";
import type { Desk } from "../desk";
import { el, fill, say } from "../dom";
import type { UploadState } from "../messages";
import { notice } from "../notice";
import { count, duration } from "../numbers";
import { fetchOwn } from "../visitor";

export interface TrajectoryPanel {
  element: HTMLElement;
  update(): void;
}

export function trajectoryPanel(desk: Desk): TrajectoryPanel {
  const file = el("input", { type: "file", id: "trajectory", hidden: true, "aria-label": "trajectory file" }) as HTMLInputElement;
  const choose = button("Upload…", () => file.click());
  const load = button("Put on the desk", () => desk.ask("load_upload", { number: desk.upload?.number ?? 0 }), "primary");
  const state = el("div.upload-state");
  const list = el("div.scroll.findings", { tabindex: 0, "aria-label": "what is wrong with the file" });
  const element = el("div.panel.trajectory.of-hall", null, el("h2", null, "Trajectory file", el("span.grow"), choose.element, load.element, file), state, list);
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (chosen) void send(chosen);
  });
  element.addEventListener("dragover", (event) => event.preventDefault());
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    const dropped = (event as DragEvent).dataTransfer?.files[0];
    const refused = reasonOf(desk, "upload");
    if (refused) notice(`upload: ${refused}`, "warn");
    else if (dropped) void send(dropped);
  });

  async function send(chosen: File): Promise<void> {
    const headers = { "X-Proxops-Secret": desk.hello?.secret ?? "" };
    const answer = await fetchOwn(`/api/trajectory?name=${encodeURIComponent(chosen.name)}`, { method: "POST", body: chosen, headers }).catch((error: unknown) => error as Error);
    if (answer instanceof Error) notice(`upload: ${answer.message}`, "bad");
    else if (!answer.ok) notice(`upload: ${((await answer.json()) as { error: string }).error}`, "bad");
  }

  let shown: unknown = null;
  return {
    element,
    update() {
      const upload = desk.upload;
      const loaded = desk.status?.trajectory as { source: string } | null | undefined;
      choose.allow(reasonOf(desk, "upload"));
      load.allow(reasonOf(desk, "load") || whyNotLoad(upload));
      say(state, sentence(desk, loaded?.source));
      if (upload === shown) return;
      shown = upload;
      const errors = upload?.errors.map((e) => el("div.bad", null, e.line === null ? e.message : `line ${e.line}: ${e.message}`)) ?? [];
      const more = upload?.errors_more ? [el("div.muted", null, `and ${count(upload.errors_more, "more line")} with errors`)] : [];
      const findings = upload?.findings.map((f) => el("div.warn", null, `${f.where}: ${f.what}`)) ?? [];
      fill(list, ...errors, ...more, ...findings);
    },
  };
}

/** Why the uploaded file cannot be put on the desk; empty when it can. */
function whyNotLoad(upload: UploadState | null): string {
  if (upload?.phase === "checking") return "it is being checked";
  if (upload?.phase === "loaded") return "it is on the desk";
  if (upload?.phase !== "checked") return "upload a file first";
  return upload.feasible ? "" : "the hall cannot show it";
}

function verdict(upload: UploadState): string {
  const wrong = upload.errors.length + upload.errors_more;
  if (!wrong || upload.errors.some((e) => e.line === null)) return upload.verdict;
  return `${wrong === 1 ? "1 line is not as it should be" : `${wrong} lines are not as they should be`}; nothing was loaded.`;
}

function sentence(desk: Desk, loaded: string | undefined): string {
  const upload = desk.upload;
  const onDesk = loaded ? `On the desk: ${loaded.split("/").at(-1)}. ` : "";
  if (!upload || upload.phase === "none") return onDesk || "23 columns, a line every 4 ms. Drop a file here or upload one; it is checked before it may run.";
  if (upload.phase === "checking") return `${onDesk}Checking ${upload.name} …`;
  const about = upload.lines ? `${count(upload.lines, "line")}, ${duration(upload.duration_s)}. ` : "";
  return `${onDesk}${upload.name}: ${about}${verdict(upload)}`;
}

// The console's page: connects to the server that it came from and to nothing else.
import "./style.css";
import { Desk } from "./desk";
import { commandCenter } from "./pages/command_center";
import { fmcDisplay } from "./pages/fmc_display";
import { logViewer } from "./pages/log_viewer";
import { mcu } from "./pages/mcu";
import { rvdView } from "./pages/rvd_view";
import { securityDisplay } from "./pages/security_display";
import { sensors, type SensorLook } from "./pages/sensors";
import { timing } from "./pages/timing";
import { Shell } from "./shell";
import { operatorName, token } from "./visitor";

const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`;
const desk = new Desk(address, operatorName, token());
window.proxops = { desk }; // for tests and for those who look under the bonnet
new Shell(desk, [commandCenter, rvdView, fmcDisplay, securityDisplay, mcu, timing, logViewer, sensors]);

declare global {
  interface Window {
    proxops: { desk: Desk; hall?: unknown; replay?: { readonly t: number; axes(which?: "actual" | "commanded"): number[] }; sensors?: { of(name: string): SensorLook | null } };
  }
}

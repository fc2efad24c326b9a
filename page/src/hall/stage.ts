// Renderer, lights and the camera that the mouse moves.
import { Color, DirectionalLight, HemisphereLight, PCFShadowMap, PerspectiveCamera, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { HallDescription, Triple } from "./description";
import { Pace } from "./pace";
import type { Detail } from "./solids";

const OVERHEAD: Triple = [0.4, -0.5, -0.77]; // light of a cell without a lamp
const MOST_PIXELS = 1.5; // per CSS pixel
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;
export const FREE_FOV_DEG = 36;

/** Asked of a context of its own: how the real one is made depends on the answer. Throws where there is no WebGL. */
function drawnBySoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) throw new Error("no WebGL");
  const about = gl.getExtension("WEBGL_debug_renderer_info");
  const name = about ? String(gl.getParameter(about.UNMASKED_RENDERER_WEBGL)) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return SOFTWARE.test(name);
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FREE_FOV_DEG, 1, 0.05, 120);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly pace: Pace;
  readonly software: boolean; // no graphics card
  readonly detail: Detail; // ?fine in the address asks for all of it whatever it takes
  private size: [number, number] = [300, 150];
  private readonly key = new DirectionalLight("#fff4e4", 1.9);

  /** Throws where there is no WebGL. */
  constructor(
    readonly canvas: HTMLCanvasElement,
    hall: HallDescription,
    private readonly beforeDrawing: () => void,
  ) {
    this.software = drawnBySoftware();
    this.detail = new URLSearchParams(location.search).has("fine") || !this.software ? "fine" : "plain";
    const fine = this.detail === "fine";
    const drawnOn = this.software ? document.createElement("canvas") : canvas;
    // Drawn on demand: the picture has to outlive the frame in which it was made.
    this.renderer = new WebGLRenderer({ canvas: drawnOn, antialias: fine, powerPreference: "low-power", preserveDrawingBuffer: true });
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.renderer.setPixelRatio(Math.min(fine ? MOST_PIXELS : 1, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = fine;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene.background = new Color("#171c24");
    this.camera.up.set(0, 0, 1);
    this.light(hall);
    this.pace = new Pace(gl, () => this.draw(), () => this.copy(), this.software);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.maxDistance = 70;
    this.controls.minDistance = 0.3;
    this.controls.maxPolarAngle = 0.56 * Math.PI;
    this.controls.addEventListener("change", () => this.pace.want());
  }

  /** Shadows fall where `middle` is: a small map is sharp only round one place. */
  lightAt(middle: Vector3): void {
    this.key.target.position.copy(middle);
    this.key.position.copy(middle).add(new Vector3(3.2, -4.4, 8));
    this.key.target.updateMatrixWorld();
  }

  resize(width: number, height: number): void {
    if (width < 2 || height < 2) return;
    this.size = [width, height];
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.pace.want();
  }

  /** What one pixel is at distance one. */
  pixel(): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(2, this.canvas.clientHeight);
  }

  private light(hall: HallDescription): void {
    const fill = new DirectionalLight("#9fb8e0", 0.8);
    fill.position.set(-6, -7, 4);
    const lamp = new DirectionalLight("#ffe8c0", 0.8);
    lamp.position.set(...(hall.lamp?.beam_lab ?? OVERHEAD)).multiplyScalar(-10);
    const sky = new HemisphereLight("#d4dcea", "#5a564f", 1.7);
    sky.position.set(0, 0, 1);
    this.key.castShadow = this.detail === "fine";
    this.key.shadow.mapSize.set(2048, 2048);
    Object.assign(this.key.shadow.camera, { left: -8, right: 8, top: 8, bottom: -8, near: 1, far: 22 });
    this.key.shadow.bias = -0.0006;
    this.key.shadow.normalBias = 0.02;
    this.scene.add(sky, fill, lamp, this.key, this.key.target);
  }

  /** Without a graphics card a browser shows nothing while it is still drawing: the finished picture is copied then. */
  private copy(): void {
    const made = this.renderer.domElement;
    if (made === this.canvas) return;
    if (this.canvas.width !== made.width) this.canvas.width = made.width;
    if (this.canvas.height !== made.height) this.canvas.height = made.height;
    this.canvas.getContext("2d", { alpha: false })?.drawImage(made, 0, 0);
  }

  private draw(): void {
    const { x, y } = this.renderer.getSize(new Vector2());
    if (x !== this.size[0] || y !== this.size[1]) this.renderer.setSize(...this.size, false); // only here: it wipes the canvas
    this.beforeDrawing();
    this.renderer.render(this.scene, this.camera);
  }
}

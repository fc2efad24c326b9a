// Short texts in the scene: always facing the viewer, always of the same size on the screen.
import { CanvasTexture, Sprite, SpriteMaterial, SRGBColorSpace } from "three";

const SHARP = 2; // drawn twice as large as shown
const FONT = `${13 * SHARP}px "DejaVu Sans", "Segoe UI", system-ui, sans-serif`;

export class Label {
  readonly sprite = new Sprite(new SpriteMaterial({ transparent: true, depthTest: false, depthWrite: false, sizeAttenuation: false }));
  private readonly canvas = document.createElement("canvas");
  private shown = "";
  private viewScale = 0;

  constructor(
    private readonly colour: string,
    private readonly plate = false, // on a dark plate, over other labels
    below = false,
  ) {
    this.sprite.renderOrder = plate ? 21 : 20;
    this.sprite.center.set(0, below ? 1.1 : 0);
  }

  say(text: string): void {
    if (text === this.shown) return;
    this.shown = text;
    const pen = this.canvas.getContext("2d")!;
    pen.font = FONT;
    this.canvas.width = Math.ceil(pen.measureText(text).width) + 12 * SHARP;
    this.canvas.height = 20 * SHARP;
    pen.font = FONT;
    pen.textBaseline = "middle";
    if (this.plate) {
      pen.fillStyle = "rgba(13,17,23,0.85)";
      pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    }
    pen.lineWidth = 3 * SHARP;
    pen.strokeStyle = "rgba(10,13,18,0.8)";
    pen.strokeText(text, 6 * SHARP, 10.5 * SHARP);
    pen.fillStyle = this.colour;
    pen.fillText(text, 6 * SHARP, 10.5 * SHARP);
    this.sprite.material.map?.dispose();
    const texture = new CanvasTexture(this.canvas);
    texture.colorSpace = SRGBColorSpace;
    this.sprite.material.map = texture;
    this.sprite.material.needsUpdate = true;
    this.fit(this.viewScale);
  }

  /** `viewScale`: what one pixel is at distance one. */
  fit(viewScale: number): void {
    this.viewScale = viewScale;
    this.sprite.scale.set((this.canvas.width / SHARP) * viewScale, (this.canvas.height / SHARP) * viewScale, 1);
  }
}

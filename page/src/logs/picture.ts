// The charts as one PNG for papers and reports: title, legends and charts, on dark or on white ground.
import type { ChartStack } from "./chart_stack";
import { DARK, FONT, ink, type Ground } from "./chart_look";

const EDGE = 14; // CSS pixels, as all below
const LINE = 16;

/** A picture of what is in sight. */
export async function picture(stack: ChartStack, ground: Ground, title: string, subtitle: string): Promise<Blob> {
  await repaint(stack, ground);
  try {
    const canvas = composed(stack, ground, title, subtitle);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("the browser could not make the picture");
    return blob;
  } finally {
    await repaint(stack, DARK);
  }
}

/** Draw the charts in the colours of a ground; uPlot draws in a microtask. */
async function repaint(stack: ChartStack, ground: Ground): Promise<void> {
  stack.ground = ground;
  for (const card of stack.cards) card.chart.plot?.redraw(false, true);
  await new Promise((done) => setTimeout(done));
}

function composed(stack: ChartStack, ground: Ground, title: string, subtitle: string): HTMLCanvasElement {
  const plots = stack.cards.filter((card) => card.chart.plot);
  const width = Math.max(400, ...plots.map((card) => card.chart.plot!.width)) + 2 * EDGE;
  const heights = plots.map((card) => legendLines(stack, card.chart.curves, width).length * LINE + card.chart.plot!.height + 8);
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  const sharp = devicePixelRatio;
  canvas.width = Math.round(width * sharp);
  canvas.height = Math.round((3 * LINE + 2 * EDGE + heights.reduce((a, b) => a + b, 0)) * sharp);
  pen.scale(sharp, sharp);
  pen.fillStyle = ground.paper;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  write(pen, title, EDGE, EDGE + 12, ground.text, FONT.replace("11px", "600 14px"));
  write(pen, subtitle, EDGE, EDGE + 12 + LINE, ground.dim, FONT);
  let top = EDGE + 2.5 * LINE;
  for (const { chart, plan } of plots) {
    for (const line of legendLines(stack, chart.curves, width)) {
      let left = EDGE;
      if (line.first) left = write(pen, plan.title, left, top + 11, ground.text, FONT.replace("11px", "600 11px")) + 16;
      for (const curve of line.curves) {
        pen.strokeStyle = ink(curve, ground);
        pen.lineWidth = 2;
        pen.setLineDash(curve.dashed ? [5, 3] : []);
        pen.beginPath();
        pen.moveTo(left, top + 7);
        pen.lineTo(left + 18, top + 7);
        pen.stroke();
        left = write(pen, legendText(curve), left + 23, top + 11, ground.dim, FONT) + 14;
      }
      top += LINE;
    }
    pen.drawImage(chart.plot!.ctx.canvas, EDGE, top, chart.plot!.width, chart.plot!.height);
    top += chart.plot!.height + 8;
  }
  return canvas;
}

type Curves = ChartStack["cards"][number]["chart"]["curves"];

const legendText = (curve: Curves[number]) => (curve.names || !curve.shown.unit ? curve.label : `${curve.label} [${curve.shown.unit}]`);

/** Curves of a legend in lines that fit; the title stands before the first. */
function legendLines(stack: ChartStack, curves: Curves, width: number): { first: boolean; curves: Curves }[] {
  const pen = document.createElement("canvas").getContext("2d")!;
  const card = stack.cards.find((each) => each.chart.curves === curves);
  pen.font = FONT.replace("11px", "600 11px");
  let left = EDGE + pen.measureText(card?.plan.title ?? "").width + 16;
  pen.font = FONT;
  const lines: { first: boolean; curves: Curves }[] = [{ first: true, curves: [] }];
  for (const curve of curves) {
    const wide = 37 + pen.measureText(legendText(curve)).width;
    if (left + wide > width - EDGE) {
      lines.push({ first: false, curves: [] });
      left = EDGE;
    }
    lines.at(-1)!.curves.push(curve);
    left += wide;
  }
  return lines;
}

/** Write a text; gives where it ends. */
function write(pen: CanvasRenderingContext2D, text: string, x: number, y: number, colour: string, font: string): number {
  pen.font = font;
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
  return x + pen.measureText(text).width;
}

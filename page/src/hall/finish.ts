// How surfaces look: paint, bare metal, foil, solar cells. A material's name in the URDF gives the hint, its colour the rest.
import { CanvasTexture, Color, DataTexture, type Material, MeshLambertMaterial, MeshStandardMaterial, RepeatWrapping, SRGBColorSpace, type Texture } from "three";
import type { Solid } from "./description";
import type { Detail } from "./solids";

const FOIL = /mli|foil|gold|silver/i;
const CELLS = /cell|solar/i;
const METAL = /steel|alu|metal|cast|frame/i;
const LENS = /lens|glass/i;

/** A material for a solid of a URDF, one for each name and colour; a simple one where detail is plain. */
export class Finishes {
  private readonly made = new Map<string, Material>();

  constructor(private readonly detail: Detail) {}

  of(solid: Solid): Material {
    const key = `${solid.material} ${solid.rgba.join(" ")}`;
    const found = this.made.get(key) ?? (this.detail === "fine" ? make(solid) : simple(solid));
    this.made.set(key, found);
    return found;
  }
}

function colourOf(solid: Solid): Color {
  const [r = 0.6, g = 0.6, b = 0.6] = solid.rgba;
  return new Color().setRGB(r, g, b, SRGBColorSpace);
}

/** Matt, and a third of the work: for drawing without a graphics card. */
function simple(solid: Solid): Material {
  const a = solid.rgba[3] ?? 1;
  const colour = colourOf(solid);
  const map = CELLS.test(solid.material) ? cells(colour) : null;
  return new MeshLambertMaterial({ color: map ? "#ffffff" : colour, map, transparent: a < 1, opacity: a });
}

function make(solid: Solid): MeshStandardMaterial {
  const a = solid.rgba[3] ?? 1;
  const colour = colourOf(solid);
  const look = new MeshStandardMaterial({ color: colour, roughness: 0.5, metalness: 0.05, transparent: a < 1, opacity: a });
  if (FOIL.test(solid.material)) {
    Object.assign(look, { roughness: 0.34, metalness: 0.45, bumpMap: crinkles(), bumpScale: 2.2 });
  } else if (CELLS.test(solid.material)) {
    look.color.set("#ffffff");
    Object.assign(look, { roughness: 0.28, metalness: 0.25, map: cells(colour) });
  } else if (METAL.test(solid.material)) {
    Object.assign(look, { roughness: 0.42, metalness: 0.35 });
  } else if (LENS.test(solid.material)) {
    Object.assign(look, { roughness: 0.08, metalness: 0.5 });
  }
  return look;
}

let foil: Texture | null = null;

/** Crumpled foil as heights: the least of distances to some points, on a torus so that it tiles (30 cm). */
function crinkles(): Texture {
  if (foil) return foil;
  const n = 96;
  const points = Array.from({ length: 26 }, (_, k) => [(k * 0.618034) % 1, (k * 0.754878 + 0.21 * Math.sin(7 * k)) % 1, 0.4 + 0.6 * ((k * 0.381966) % 1)] as const);
  const data = new Uint8Array(4 * n * n);
  const apart = (d: number) => Math.min(Math.abs(d), 1 - Math.abs(d));
  for (let i = 0; i < n * n; i++) {
    const u = (i % n) / n;
    const v = Math.floor(i / n) / n;
    let least = 1;
    for (const [x, y, w] of points) least = Math.min(least, w * Math.hypot(apart(u - x), apart((v - y) % 1)));
    data.fill(Math.min(255, 1100 * least), 4 * i, 4 * i + 3);
    data[4 * i + 3] = 255;
  }
  foil = new DataTexture(data, n, n);
  return tiled(foil, 0.3);
}

/** Solar cells of 6 cm with thin silver lines between them. */
function cells(colour: Color): Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = "#8d97a8";
  pen.fillRect(0, 0, 64, 64);
  pen.fillStyle = `#${colour.getHexString()}`;
  pen.fillRect(2, 2, 60, 60);
  pen.fillStyle = "rgba(255,255,255,0.07)";
  for (let k = 10; k < 62; k += 10) pen.fillRect(k, 2, 1, 60);
  const texture = tiled(new CanvasTexture(canvas), 0.06);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** Texture coordinates are metres (see solids.ts): how large a tile is. */
function tiled(texture: Texture, tile_m: number): Texture {
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.repeat.set(1 / tile_m, 1 / tile_m);
  texture.generateMipmaps = true;
  texture.minFilter = 1008; // LinearMipmapLinear
  texture.magFilter = 1006; // Linear
  texture.needsUpdate = true;
  return texture;
}

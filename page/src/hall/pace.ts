// When to draw: only when something has changed, never while the last picture is still being made, and never so often that
// drawing takes more than half of the time. On a machine without a graphics card the hall's own loop shares the cores.

const SHORTEST_MS = 33;
const SHORTEST_SOFTWARE_MS = 100;

export class Pace {
  drawn = 0; // pictures so far
  frame_ms = 0; // how long the last picture took
  private wanted = false;
  private paused = false;
  private waiting = false;
  private begunAt = -Infinity;
  private endedAt = -Infinity;
  private fence: WebGLSync | null = null;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly draw: () => void,
    private readonly made: () => void, // the picture is there
    private readonly software: boolean,
  ) {}

  /** Something has changed. */
  want(): void {
    this.wanted = true;
    if (!this.waiting && !this.paused) this.wait();
  }

  pause(on: boolean): void {
    this.paused = on;
    if (!on && this.wanted && !this.waiting) this.wait();
  }

  private wait(): void {
    this.waiting = true;
    requestAnimationFrame(() => this.look());
  }

  private look(): void {
    this.waiting = false;
    const now = performance.now();
    if (this.fence && !this.ended(now)) return this.wait();
    if (this.paused || !this.wanted) return;
    if (now - this.begunAt < (this.software ? SHORTEST_SOFTWARE_MS : SHORTEST_MS) || now - this.endedAt < this.frame_ms) return this.wait();
    this.wanted = false;
    this.begunAt = now;
    this.draw();
    this.fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    this.gl.flush();
    this.wait(); // to see when it has ended
  }

  private ended(now: number): boolean {
    const state = this.gl.clientWaitSync(this.fence!, 0, 0);
    if (state === this.gl.TIMEOUT_EXPIRED) return false;
    this.gl.deleteSync(this.fence);
    this.fence = null;
    this.endedAt = now;
    this.frame_ms = now - this.begunAt;
    this.drawn++;
    this.made();
    return true;
  }
}

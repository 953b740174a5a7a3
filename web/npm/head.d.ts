// Made by web/npm.mjs from the scene reference: names, words and units are those that scenes are read with.

export type Status = STATUSES;

/** An error of Pliant: one sentence, and file and line of the scene where there are any. */
export class PliantError extends Error {
  status: Status;
  file: string;
  line: number;
}

/** A spring between a point of a body and a target. */
export interface Pull {
  to(x: number, y: number, z: number): void;
  readonly position: Float64Array;
  readonly target: Float64Array;
  /** N, on the body */
  readonly force: Float64Array;
  release(): void;
}

export interface Surface {
  /** 3 numbers per vertex, m; a view, valid until the next call */
  readonly positions: Float32Array;
  /** 3 vertices per triangle, turned outwards */
  readonly triangles: Uint32Array;
}

export interface Part extends Surface {
  readonly name: string;
  readonly firstVertex: number;
  readonly firstTriangle: number;
}

export interface World {
  readonly title: string;
  /** s */
  readonly time: number;
  readonly dt: number;
  readonly steps: number;
  /** Equal hash: the same time, positions and velocities, bit for bit, on every machine. */
  readonly hash: string;
  readonly surface: Surface;
  readonly bodies: Part[];
  step(count?: number): void;
  /** A spring at the point (1 - u - v, u, v) of a triangle of the surface. */
  grab(triangle: number, u?: number, v?: number, options?: { stiffness?: number; damping?: number }): Pull;
  save(): Uint8Array;
  load(bytes: Uint8Array): void;
  dispose(): void;
}

export interface Pliant {
  /** A world from a scene: an object or XML; files: what it names, by name. */
  world(scene: Scene | string, options?: { files?: Record<string, Uint8Array | string> }): World;
  /** Loads the module's second part now, which is otherwise fetched, while the caller waits, when a scene needs it. */
  complete(): Promise<void>;
  /** Bytes that the module has taken. */
  readonly memory: number;
}

type Code = string | URL | ArrayBuffer | ArrayBufferView;
/** Loads the module once; `wasm` and `rest` are the addresses or the bytes of its two parts. */
export function init(options?: { wasm?: Code; rest?: Code | (() => ArrayBuffer | ArrayBufferView) }): Promise<Pliant>;

/** The scene as an XML file that `pliant run` takes. */
export function toXml(scene: Scene | string): string;

type Numbers = number | string | readonly number[];
type One<T> = T | readonly T[];


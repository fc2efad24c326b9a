// A record of the data pool as the facility lays it out; the table of variables comes from the server.

export interface Variable {
  path: string; // group.name
  group: string;
  name: string;
  type: "f8" | "i8" | "u4" | "u1";
  offset: number; // bytes from the beginning of the record
  unit: string;
  meaning: string;
  names: Record<string, string> | null; // of an enumeration
}

export class PoolTable {
  readonly byPath = new Map<string, Variable>();

  constructor(
    readonly variables: Variable[],
    readonly size: number,
  ) {
    for (const variable of variables) this.byPath.set(variable.path, variable);
  }
}

export class PoolRecord {
  constructor(
    readonly table: PoolTable,
    private readonly view: DataView,
  ) {}

  /** A number by its path; NaN when there is no such variable. */
  value(path: string): number {
    const variable = this.table.byPath.get(path);
    return variable ? this.read(variable) : NaN;
  }

  read(variable: Variable): number {
    switch (variable.type) {
      case "f8":
        return this.view.getFloat64(variable.offset, true);
      case "i8":
        return Number(this.view.getBigInt64(variable.offset, true));
      case "u4":
        return this.view.getUint32(variable.offset, true);
      default:
        return this.view.getUint8(variable.offset);
    }
  }

  /** The word of an enumeration, or its number. */
  word(path: string): string {
    const variable = this.table.byPath.get(path);
    if (!variable) return "–";
    const value = this.read(variable);
    return variable.names?.[String(value)] ?? String(value);
  }
}

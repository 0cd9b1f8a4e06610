/** The columns of a run's records, by kind, as they come in. */

import type { Column, MetricRecord } from "./protocol";

export class Rows {
  private readonly kinds = new Map<string, Map<string, Column>>();

  clear(): void {
    this.kinds.clear();
  }

  /** Adds records in order; a column that came late begins with gaps. */
  add(records: MetricRecord[]): void {
    for (const record of records) {
      const kind = this.kinds.get(record.kind) ?? new Map<string, Column>();
      this.kinds.set(record.kind, kind);
      const before = Math.max(0, ...[...kind.values()].map((column) => column.length));
      const lists = Object.entries(record).filter(([, value]) => Array.isArray(value)) as [string, unknown[]][];
      const count = Math.max(0, ...lists.map(([, values]) => values.length));
      for (const [name] of lists) if (!kind.has(name)) kind.set(name, Array<null>(before).fill(null));
      const given = new Map(lists);
      for (const [name, column] of kind)
        for (let i = 0; i < count; i++) {
          const value = given.get(name)?.[i];
          column.push(typeof value === "number" ? value : null);
        }
    }
  }

  names(kind: string): string[] {
    return [...(this.kinds.get(kind)?.keys() ?? [])];
  }

  column(kind: string, name: string): Column {
    return this.kinds.get(kind)?.get(name) ?? [];
  }
}

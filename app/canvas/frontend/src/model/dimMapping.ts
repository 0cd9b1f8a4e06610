/** Where each dimension goes in the blocks that only rearrange; null where that is no plain way. */

import type { Json } from "../protocol";

export type DimPair = readonly [number, number];

/** From dimension to dimension, for a tensor of `rank` dimensions that becomes one of `to`. */
export function dimMapping(
  block: string,
  of: (name: string) => Json | undefined,
  rank: number,
  to: number,
): DimPair[] | null {
  const dim = (name: string, count = rank): number => {
    const value = of(name);
    return typeof value === "number" ? (value + count) % count : 0;
  };
  const all = [...Array(rank).keys()];
  switch (block) {
    case "flatten":
    case "Flatten": {
      const start = dim("start_dim"),
        end = dim("end_dim");
      return all.map((d): DimPair => [d, d <= start ? d : d <= end ? start : d - (end - start)]);
    }
    case "unflatten":
    case "Unflatten": {
      const at = dim("dim"),
        more = to - rank;
      return all.flatMap((d): DimPair[] =>
        d < at ? [[d, d]] : d > at ? [[d, d + more]] : Array.from({ length: more + 1 }, (_, k): DimPair => [d, d + k]),
      );
    }
    case "permute": {
      const dims = of("dims");
      return Array.isArray(dims) ? dims.map((d, i): DimPair => [(Number(d) + rank) % rank, i]) : null;
    }
    case "transpose": {
      const [a, b] = [dim("dim0"), dim("dim1")];
      return all.map((d): DimPair => [d, d === a ? b : d === b ? a : d]);
    }
    case "unsqueeze": {
      const at = dim("dim", rank + 1);
      return all.map((d): DimPair => [d, d < at ? d : d + 1]);
    }
    case "squeeze": {
      const value = of("dim");
      const gone = (Array.isArray(value) ? value : [value]).map((d) => (Number(d) + rank) % rank);
      return rank - gone.length === to ? all.filter((d) => !gone.includes(d)).map((d, i): DimPair => [d, i]) : null;
    }
    case "reshape":
      return [[0, 0]];
    default:
      return null;
  }
}

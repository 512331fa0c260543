const root = new URL('../../../../', import.meta.url)
const { readMap } = (await import(new URL('scripts/map/page.mjs', root).href)) as {
  readonly readMap: () => DesignMap
}

/** A file that a flow passes through, and the functions in it that the map names. */
export interface Hop {
  /** The heading above this entry. */
  readonly flow: string
  readonly path: string
  readonly names: readonly string[]
  /** True for the main file of a step, and false for files that the step needs. */
  readonly isStep: boolean
}

interface Room {
  readonly name: string
  readonly rooms: readonly Room[]
}

interface DesignMap {
  /** The page. */
  readonly text: string
  readonly hops: readonly Hop[]
  readonly rooms: readonly Room[]
  /** The import orders of core and of `http/`. */
  readonly orders: readonly (readonly (readonly string[])[])[]
  readonly pathOf: (file: string) => string
}

/** The code map in `docs/design/README.md`. */
export const map: DesignMap = readMap()

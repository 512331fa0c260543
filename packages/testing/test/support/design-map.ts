const root = new URL('../../../../', import.meta.url)
const { readMap } = (await import(new URL('scripts/map/page.mjs', root).href)) as {
  readonly readMap: () => DesignMap
}

/** A file that a flow passes through, with the functions that the map names. */
export interface Hop {
  /** The heading above the hop. */
  readonly flow: string
  readonly path: string
  readonly names: readonly string[]
  /** False for files that a step needs. */
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

/** The map of the code in `docs/design/README.md`. */
export const map: DesignMap = readMap()

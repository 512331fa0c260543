const root = new URL('../../../../', import.meta.url)
const page = (await import(new URL('scripts/map/page.mjs', root).href)) as {
  readonly readPage: () => string
  readonly hopsOf: (text: string) => readonly Hop[]
  readonly roomsOf: (text: string) => readonly Room[]
  readonly ordersOf: (text: string) => readonly (readonly (readonly string[])[])[]
  readonly pathOf: (file: string) => string
}

/** A file that a flow runs through, with the functions that the map names. */
export interface Hop {
  /** The heading above it. */
  readonly flow: string
  readonly path: string
  readonly names: readonly string[]
  /** False for the files that a step needs. */
  readonly isStep: boolean
}

interface Room {
  readonly name: string
  readonly rooms: readonly Room[]
}

const text = page.readPage()

/** The map of the code, `docs/design/README.md`. */
export const map = {
  text,
  hops: page.hopsOf(text),
  rooms: page.roomsOf(text),
  orders: page.ordersOf(text),
  pathOf: page.pathOf,
}

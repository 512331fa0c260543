import type { Driver, Loose } from '../clients.ts'

/** One feature, tested with every client over every transport. */
export interface Feature {
  readonly name: string
  run(driver: Driver, transport: string): Promise<void>
}

/** Returns a result with one text block. */
export const text = (value: string): object => ({ content: [{ type: 'text', text: value }] })

export const names = (items: readonly Loose[]): unknown[] => items.map(({ name }) => name)

/** Follows a list's cursors to its end. */
export async function walk(
  driver: Driver,
  method: string,
  key: string,
  params: Record<string, unknown> = {},
): Promise<{ pages: number; items: Loose[] }> {
  const items: Loose[] = []
  let cursor: unknown
  let pages = 0
  do {
    const page = await driver.request(method, cursor === undefined ? params : { ...params, cursor })
    items.push(...(page[key] as Loose[]))
    cursor = page['nextCursor']
    pages += 1
  } while (cursor !== undefined && pages < 100)
  return { pages, items }
}

import { type RequestContext, ToolError } from '@jetway/core'
import type { Json } from '../document/model.ts'
import { isJson, member } from '../document/values.ts'
import { assemble } from './assemble.ts'
import { refuseFailure } from './failure.ts'
import type { RequestPlan } from './plan.ts'
import { jsonOfReply, readReply } from './read.ts'
import { type Api, send, sendTo, type Sent } from './send.ts'
import { isBelow } from './url.ts'

/** Where the next page of a list is. */
export interface Pagination {
  /** The path of the array in the reply, such as `data` or `result.items`. @default the reply itself */
  readonly items?: string
  /**
   * The path of the next page's cursor in the reply, such as `next_cursor`, or `link` for the header `Link`. A cursor
   * that is an address is followed if it is below `baseUrl`; any other is sent as `parameter`.
   */
  readonly cursor: string
  /** The argument that takes the cursor. @default the last name in `cursor` */
  readonly parameter?: string
  /** The maximum number of items that one call returns. @default 500 */
  readonly max?: number
}

export interface PageRules {
  readonly pagination: Pagination
  readonly uploadBytes: number
  readonly downloadBytes: number
}

const MAX_PAGES = 100
const DEFAULT_MAX = 500

/** Fetches a page and those that follow it. @returns the last page, with the items of all pages */
export async function readPages<App, Locals>(
  api: Api<App, Locals>,
  plan: RequestPlan,
  args: Json,
  { pagination, uploadBytes, downloadBytes }: PageRules,
  ctx: RequestContext<App, Locals>,
): Promise<unknown> {
  const { max = DEFAULT_MAX } = pagination
  const itemsAt = pagination.items === undefined ? [] : pagination.items.split('.')
  const items: unknown[] = []
  const seen = new Set<string>()
  const first = assemble(plan, args, uploadBytes)
  let sent = await send(api, plan, first, ctx)
  for (let page = 1; ; page++) {
    const reply = await readReply(sent.response, { limit: downloadBytes })
    refuseFailure(plan.key, reply)
    const json = jsonOfReply(reply)
    const found = at(json?.value, itemsAt)
    if (!Array.isArray(found)) throw new ToolError('A page of the list is too large, or has no list in it')
    items.push(...(found as unknown[]).slice(0, max - items.length))
    const next = nextOf(pagination, sent, json?.value)
    const isLast = next === undefined || seen.has(next) || items.length >= max || page >= MAX_PAGES
    if (isLast) return withItems(json?.value, itemsAt, items)
    seen.add(next)
    await ctx.progress(items.length, max)
    const url = addressOf(next, sent.url)
    if (url === undefined) {
      const parameter =
        pagination.parameter ?? pagination.cursor.slice(pagination.cursor.lastIndexOf('.') + 1)
      const request = assemble(plan, { ...args, [parameter]: next }, uploadBytes)
      sent = await send(api, plan, request, ctx)
    } else if (isBelow(api.base, url)) sent = await sendTo(api, plan, { url, request: first }, ctx)
    else throw new ToolError('The next page is outside of the API, so it is not followed')
  }
}

const at = (value: unknown, path: readonly string[]): unknown => path.reduce(member, value)

function nextOf({ cursor }: Pagination, { response }: Sent, value: unknown): string | undefined {
  if (cursor === 'link') return linkOf(response.headers.get('link') ?? '')
  const next = at(value, cursor.split('.'))
  return (typeof next === 'string' && next !== '') || typeof next === 'number' ? String(next) : undefined
}

/** The link with the relation `next`: https://www.rfc-editor.org/rfc/rfc8288. */
const linkOf = (header: string): string | undefined =>
  header
    .slice(0, 16_384)
    .split(/,\s*(?=<)/)
    .map((link) => /^\s*<([^>]*)>([^<]*)/.exec(link))
    .find((link) => /;\s*rel\s*=\s*"?next"?\s*(?:;|$)/i.test(link?.[2] ?? ''))?.[1]

function addressOf(next: string, current: URL): URL | undefined {
  return /^(?:https?:\/\/|\/|\?)/.test(next) && URL.canParse(next, current)
    ? new URL(next, current)
    : undefined
}

/** A copy with another list in it. */
function withItems(value: unknown, [name, ...rest]: readonly string[], items: readonly unknown[]): unknown {
  if (name === undefined || !isJson(value)) return items
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === name ? withItems(inner, rest, items) : inner]),
  )
}

import { randomUUID } from 'node:crypto'
import { answers } from './control.ts'

/** The part of a request that a bare server reads. */
export interface Body {
  readonly method: string
  readonly params?: { readonly name?: string }
}

/** Returns the prepared response to a request. */
export function answerTo({ method, params }: Body): string {
  return answers()[method === 'tools/call' ? (params?.name ?? '') : method] ?? ''
}

/** The media type of the responses. */
export const MEDIA_TYPE: string = process.argv.includes('--stream') ? 'text/event-stream' : 'application/json'

/** The cheapest possible session: an id and a map entry. */
const sessions = new Map<string, number>()

export function openSession(): string {
  const id = randomUUID()
  sessions.set(id, Date.now())
  return id
}

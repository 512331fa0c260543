import { randomUUID } from 'node:crypto'
import { answers } from './control.ts'

/** As much of a request as a bare server looks at. */
export interface Body {
  readonly method: string
  readonly params?: { readonly name?: string }
}

/** The prepared answer to a request. */
export function answerTo({ method, params }: Body): string {
  return answers()[method === 'tools/call' ? (params?.name ?? '') : method] ?? ''
}

/** The least that a session costs: an id, and something kept under it. */
const sessions = new Map<string, number>()

export function openSession(): string {
  const id = randomUUID()
  sessions.set(id, Date.now())
  return id
}

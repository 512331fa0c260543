import type { MethodEntry } from '../../src/call/method-table.ts'
import { complete, type HandlerResult } from '../../src/call/result.ts'

/**
 * Creates a tool whose calls wait until the test releases them by the `key` in their params. Each result
 * names the era.
 */
export function gatedTool(): {
  readonly entry: MethodEntry
  readonly release: (key: string) => void
  readonly started: string[]
  readonly ended: string[]
} {
  const waiting = new Map<string, () => void>()
  const started: string[] = []
  const ended: string[] = []
  const handle: MethodEntry['handle'] = (params, ctx) => {
    const key = String(params['key'])
    started.push(key)
    ctx.signal.addEventListener('abort', () => ended.push(key))
    const text = `${key} ${ctx.session === undefined ? 'alone' : 'in a session'}`
    return new Promise<HandlerResult>((resolve) =>
      waiting.set(key, () => resolve(complete({ content: [{ type: 'text', text }] }))),
    )
  }
  return { entry: { handle }, started, ended, release: (key) => waiting.get(key)?.() }
}

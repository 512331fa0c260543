import { ready } from '../serving/control.ts'
import { answerLines } from '../serving/lines.ts'
import { add } from '../serving/tools.ts'

interface Call {
  readonly id?: number
  readonly method: string
  readonly params: { readonly arguments: { readonly a: number; readonly b: number } }
}

/** Parses, handles and stringifies messages with plain code, without any checks. */
answerLines((line) => {
  const { id, method, params } = JSON.parse(line) as Call
  if (id === undefined) return ''
  if (method !== 'tools/call') return JSON.stringify({ jsonrpc: '2.0', id, result: {} })
  const content = [{ type: 'text', text: add(params.arguments) }]
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content } })
})
ready()

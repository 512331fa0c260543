import * as z from 'zod'
import { elicit } from '../../src/call/input/question.ts'
import type { McpServer } from '../../src/server/mcp-server.ts'
import { EVERYTHING, type Message, openAnsweringClient, type Script } from './answering-client.ts'
import { modernClient } from './modern-client.ts'

export const ok = z.object({ ok: z.boolean() })
export const named = z.object({ name: z.string() })
export const path = z.object({ path: z.string() })

/** Adds a tool that asks a question before it deletes something, and that counts its runs. */
export function addDeleteFolder(server: McpServer): { ask: number; handler: number } {
  const runs = { ask: 0, handler: 0 }
  server.addTool({
    name: 'delete_folder',
    inputSchema: path,
    asks: {
      confirm: async (args) => {
        runs.ask++
        return args.path === 'empty' ? { ok: true } : elicit(`Delete all of ${args.path}?`, ok)
      },
    },
    handler: (args, ctx) => {
      runs.handler++
      return ctx.answers.confirm.ok ? `Deleted ${args.path}` : 'Kept'
    },
  })
  return runs
}

interface Asking {
  readonly answer?: Script
  readonly capabilities?: object
}

/** Sends a request, by default a call of the tool `a`. Returns the questions, in order, and the response. */
export type Ask = (
  server: McpServer,
  request: { readonly method?: string; readonly params?: object } & Asking,
) => Promise<{ readonly asked: readonly Message[]; readonly reply: Message }>

/** Receives the server's questions as requests. */
const onConnection: Ask = async (server, { method = 'tools/call', params = { name: 'a' }, ...asking }) => {
  const client = await openAnsweringClient(server, asking)
  const reply = await client.request(method, params)
  return { asked: client.asked, reply }
}

/** Receives the server's questions in a result, and repeats the request with the answers. */
const inResults: Ask = async (
  server,
  { method = 'tools/call', params = { name: 'a' }, answer, capabilities = EVERYTHING },
) => {
  const send = modernClient(server)
  const asked: Message[] = []
  let round: object = {}
  for (let rounds = 0; rounds < 20; rounds++) {
    const reply: Message = await send(method, { ...params, ...round }, capabilities)
    if (reply.result === undefined) return { asked, reply }
    const { resultType, _meta, inputRequests, requestState, ...result } = reply.result
    if (resultType === 'complete') return { asked, reply: { result } }
    const questions = Object.entries((inputRequests ?? {}) as Record<string, Message>)
    asked.push(...questions.map(([, question]) => question))
    const inputResponses = Object.fromEntries(questions.map(([key, question]) => [key, answer?.(question)]))
    round = { inputResponses, requestState }
  }
  throw new Error('The call asks without end')
}

/** Both ways in which a server asks questions, each with the error code for a client that lacks the capability. */
export const WAYS: [string, Ask, number][] = [
  ['on a connection', onConnection, -32_600],
  ['in results', inResults, -32_021],
]

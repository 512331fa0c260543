import { initialize, ping, settled } from '@jetway-apps/test-support'
import { parseText } from '@jetway/core/protocol'
import { serveStdio } from '@jetway/stdio'
import { PassThrough } from 'node:stream'
import { createServer, type Limit, list, peer, web } from './row.ts'

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const parsed = (text: string, limits: { maxDepth: number; maxTokens: number }): unknown => {
  const result = parseText(text, limits)
  return result.ok ? 'ok' : result.error.message
}
const posted = async (limits: object, message: string, headers = {}): Promise<unknown> =>
  (await web(createServer(), { limits }).post(message, headers)).status

const opening = (member: string): string => `${JSON.stringify(initialize()).slice(0, -1)},"x":${member}}`

/** The number of elements in the rest of the message. */
const TOKENS = opening('0').match(/[[{,:]/g)?.length ?? 0
const TOO_DEEP = 'The message is nested too deeply'
const TOO_MANY = 'The message has too many elements'

export const MESSAGES: readonly Limit[] = [
  {
    limit: 'limits.parse.maxDepth',
    most: 10,
    use: (levels) => posted({ parse: { maxDepth: 10 } }, opening(nested(levels - 1))),
    accepted: 200,
    refused: 400,
  },
  {
    limit: 'limits.parse.maxDepth, by default',
    most: 128,
    use: (levels) => posted({}, opening(nested(levels - 1))),
    accepted: 200,
    refused: 400,
  },
  {
    limit: 'maxDepth of a text so short that it is not scanned',
    most: 10,
    use: (levels) => parsed(nested(levels), { maxDepth: 10, maxTokens: 1_000 }),
    accepted: 'ok',
    refused: TOO_DEEP,
  },
  {
    limit: 'maxTokens: brackets, commas and colons',
    most: 10,
    // The list contains two brackets, and commas between its elements.
    use: (tokens) => parsed(JSON.stringify(list(tokens, () => 1)), { maxDepth: 10, maxTokens: 10 }),
    accepted: 'ok',
    refused: TOO_MANY,
  },
  {
    limit: 'limits.parse.maxTokens, by default',
    most: 100_000,
    use: (tokens) => posted({}, opening(JSON.stringify(list(tokens - TOKENS, () => 1)))),
    accepted: 200,
    refused: 400,
  },
  {
    limit: 'characters of a request id',
    most: 1_024,
    use: async (length) => (await web().post({ ...initialize(), id: 'x'.repeat(length) })).status,
    accepted: 200,
    refused: 400,
  },
  {
    limit: 'messages of a batch, over HTTP',
    most: 100,
    use: async (count) => {
      const client = web(createServer())
      const session = await client.open({}, '2025-03-26')
      return (
        await client.post(
          list(count, (id) => ping(id)),
          session,
        )
      ).status
    },
    accepted: 200,
    refused: 400,
  },
  {
    limit: 'messages of a batch, in memory',
    most: 100,
    use: async (count) => {
      const connection = await peer(createServer(), { revision: '2025-03-26' })
      await connection.raw(JSON.stringify(list(count, (id) => ping(id + 100))))
      await settled()
      return connection.strays.length > 0 ? connection.strays[0] : 'answered'
    },
    accepted: { result: {} },
    refused: { error: { code: -32600 } },
  },
  {
    limit: 'maxLineBytes of stdio',
    most: 1_000,
    use: async (bytes) => {
      const [input, output] = [new PassThrough(), new PassThrough()]
      await using _handle = await serveStdio(createServer(), { input, output, maxLineBytes: 1_000 })
      input.write(`${JSON.stringify(initialize()).padEnd(bytes)}\n`)
      return JSON.parse(String((await output.iterator({ destroyOnReturn: false }).next()).value)) as object
    },
    accepted: { id: 1, result: {} },
    refused: { error: { code: -32700, message: 'The line is longer than 1000 bytes' } },
  },
  {
    limit: 'maxLineBytes of stdio, with a CRLF in other chunks',
    most: 1_000,
    use: async (bytes) => {
      const [input, output] = [new PassThrough(), new PassThrough()]
      await using _handle = await serveStdio(createServer(), { input, output, maxLineBytes: 1_000 })
      for (const chunk of [JSON.stringify(initialize()).padEnd(bytes), '\r', '\n']) {
        input.write(chunk)
        await settled()
      }
      return JSON.parse(String((await output.iterator({ destroyOnReturn: false }).next()).value)) as object
    },
    accepted: { id: 1, result: {} },
    refused: { error: { code: -32700 } },
  },
]

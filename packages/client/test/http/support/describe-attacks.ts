import { ClientError } from '@jetway/client'
import { describe, expect, it, vi } from 'vitest'
import { type Attack, ATTACKS, MAX_MESSAGE_BYTES, TIMEOUT } from './attacks.ts'
import { type Asked, connect, DONE, handshake, scripted } from './scripted.ts'

/** The requests for which a server can send an invalid reply. */
const STEPS: Readonly<Record<string, (asked: Asked) => boolean>> = {
  'the first request': ({ message }) => message.method === 'server/discover',
  initialize: ({ message }) => message.method === 'initialize',
  'notifications/initialized': ({ message }) => message.method === 'notifications/initialized',
  'a call': ({ method, message, headers }) => message.method === 'tools/call' || isResumed(method, headers),
  'the stream of the session': ({ method, headers }) =>
    method === 'GET' && headers['last-event-id'] === undefined,
  DELETE: ({ method }) => method === 'DELETE',
}
const isResumed = (method: string, headers: Asked['headers']): boolean =>
  method === 'GET' && headers['last-event-id'] !== undefined

/**
 * A short limit is set only for attacks that end with a time limit. For the others, a busy machine may need a
 * long time.
 */
const PATIENT_MS = 30_000
const SHORT_MS = 100

/** Returns whether only a client time limit ends the attack. Until then, the client reads. */
const endsByTime = ({ error }: Attack): boolean => error.source.includes(TIMEOUT.source)

/** Sockets and readers buffer more than one message. */
const MAX_SENT = MAX_MESSAGE_BYTES + 16 * 1024 * 1024

/** Replies incorrectly at one step, and correctly at all others. */
async function attack(row: Attack, step: string) {
  const open = new Set<Asked['response']>()
  let sent = 0
  const url = await scripted((asked) => {
    const { response } = asked
    open.add(response)
    const { socket } = response
    const before = socket?.bytesWritten ?? 0
    response.once('close', () => {
      open.delete(response)
      sent = Math.max(sent, (socket?.bytesWritten ?? 0) - before)
    })
    if (STEPS[step]?.(asked) === true) return row.script(asked)
    if (asked.method === 'DELETE') return void response.writeHead(200).end()
    if (!handshake(asked, { 'mcp-session-id': 'one' })) asked.result(DONE)
  })
  const options = { maxMessageBytes: MAX_MESSAGE_BYTES, closeTimeoutMs: 200 }
  const client = connect(url, options, {
    timeoutMs: PATIENT_MS,
    connectTimeoutMs: endsByTime(row) && step !== 'a call' ? 1_000 : PATIENT_MS,
  })
  return { client, leftOpen: () => open.size, sent: () => sent }
}

const named = (error: unknown): unknown => {
  expect(error).toBeInstanceOf(ClientError)
  expect((error as ClientError).message).toMatch(/^[A-Z\w].{9,}/)
  return error
}

/** Tests every attack at some of the steps of a connection. */
export function describeAttacks(steps: readonly string[] = Object.keys(STEPS)): void {
  describe.each(steps)('a hostile reply to %s', (step) => {
    it.each(ATTACKS.map((row) => [row.reply, row] as const))('does no harm: %s', async (_, row) => {
      const { client: connecting, leftOpen, sent } = await attack(row, step)
      const client = await connecting.catch(named)
      const connected = client instanceof ClientError ? undefined : (client as Awaited<typeof connecting>)
      const timeoutMs = endsByTime(row) ? SHORT_MS : PATIENT_MS
      if (step === 'a call')
        await expect(connected?.callTool('x', {}, { timeoutMs })).rejects.toThrow(row.error)
      else if (connected !== undefined) expect(await connected.callTool('x')).toEqual(DONE)
      await connected?.close()
      expect(connected?.stats().pending ?? 0).toBe(0)
      await vi.waitFor(() => expect(leftOpen()).toBe(0))
      if (!endsByTime(row)) expect(sent()).toBeLessThan(MAX_SENT)
    })
  })
}

import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { McpServer } from '../src/index.ts'
import type { Telemetry } from '../src/telemetry.ts'
import { openAnsweringClient, type Script, textOf } from './support/answering-client.ts'

/** The telemetry function that fails, and when it fails. */
type Fault =
  | 'active'
  | 'received'
  | 'sent'
  | 'run before the step'
  | 'run after the step'
  | 'run twice'
  | 'run never'
  | 'end'

const FAULTS_OF_RUN: readonly Fault[] = [
  'run before the step',
  'run after the step',
  'run twice',
  'run never',
]
/** These faults are not reported, because the step still runs exactly once. */
const SILENT: readonly Fault[] = ['run twice', 'run never']
const ROOTS: Script = () => ({ roots: [{ uri: 'file:///home' }] })
const REFUSAL: Script = () => ({ error: { code: -32603, message: 'broken' } })
const FAILED = 'The telemetry failed. The call continues without it'

const fail = (): never => {
  throw new Error('telemetry')
}

/** Telemetry that fails during a call or a question. */
function failing(fault: Fault | undefined) {
  return {
    wantsResult: false,
    run(step: () => void): void {
      if (fault === 'run before the step') fail()
      if (fault !== 'run never') step()
      if (fault === 'run twice') step()
      if (fault === 'run after the step') fail()
    },
    end: fault === 'end' ? fail : () => {},
  }
}

function telemetryWith({ call, question }: { call?: Fault; question?: Fault }): Telemetry {
  return {
    get active() {
      return call === 'active' ? fail() : true
    },
    attach: () => () => {},
    received: () => (call === 'received' ? fail() : failing(call)),
    sent: () => (question === 'sent' ? fail() : failing(question)),
  }
}

/** A server with a tool that asks its client, and the lines of its log. */
async function startServer(telemetry: Telemetry, answer: Script = ROOTS) {
  const clock = new FakeClock()
  const lines: { readonly skipped: number; readonly message: string }[] = []
  const error = (fields: object, message = ''): void =>
    void lines.push({ skipped: (fields as { readonly skipped: number }).skipped, message })
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error }
  const server = new McpServer({ name: 'observed', version: '1' }, { telemetry, clock, logger })
  onTestFinished(() => server.close({ deadline: 0 }))
  const handler = vi.fn<() => void>()
  server.addTool({
    name: 'ask',
    handler: (_args, ctx) => {
      handler()
      return ctx.listRoots().then(
        ({ length }) => `${length} folders`,
        ({ message }: Error) => message,
      )
    },
  })
  const client = await openAnsweringClient(server, { answer })
  return { client, clock, handler, lines }
}

describe('a failure in telemetry', () => {
  it.each(['active', 'received', ...FAULTS_OF_RUN, 'end'] as const)(
    'does not affect a call: %s',
    async (call) => {
      const { client, handler, lines } = await startServer(telemetryWith({ call }))
      expect(textOf(await client.call('ask'))).toBe('1 folders')
      expect([handler.mock.calls.length, client.asked.length]).toEqual([1, 1])
      expect(lines.map(({ message }) => message)).toEqual(SILENT.includes(call) ? [] : [FAILED])
    },
  )

  it.each(['sent', ...FAULTS_OF_RUN, 'end'] as const)(
    "does not change a question's answer or cause the question to be sent twice: %s",
    async (question) => {
      const { client, handler, lines } = await startServer(telemetryWith({ question }))
      expect(textOf(await client.call('ask'))).toBe('1 folders')
      expect([handler.mock.calls.length, client.asked.length]).toEqual([1, 1])
      expect(lines.map(({ message }) => message)).toEqual(SILENT.includes(question) ? [] : [FAILED])
    },
  )

  it.each(['sent', ...FAULTS_OF_RUN, 'end'] as const)(
    'does not hide the error if the client refuses a question: %s',
    async (question) => {
      const { client } = await startServer(telemetryWith({ question }), REFUSAL)
      expect(textOf(await client.call('ask'))).toContain('broken')
      expect(client.asked).toHaveLength(1)
    },
  )

  it('is logged at most once every ten minutes, with the number of skipped log lines', async () => {
    const { client, clock, lines } = await startServer(telemetryWith({ call: 'received' }))
    // The first failure occurred during `initialize`.
    expect(lines).toEqual([{ skipped: 0, message: FAILED }])
    await client.call('ask')
    await clock.advance(10 * 60_000 - 1)
    await client.call('ask')
    expect(lines).toHaveLength(1)
    await clock.advance(1)
    await client.call('ask')
    expect(lines.slice(1)).toEqual([{ skipped: 2, message: FAILED }])
  })
})

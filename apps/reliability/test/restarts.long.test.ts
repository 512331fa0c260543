import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@jetway-apps/test-support/http'
import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { OPEN_THINGS, Side, startTarget } from './support/restart.ts'

describe.each([
  ['SIGTERM', 'The server ended the call'],
  ['SIGKILL', undefined],
] as const)('after a restart by %s with the same keys', (signal, reason) => {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-restart-'))
  const runs = join(folder, 'runs')
  const resumed = new Map<string, () => Promise<unknown>>()
  let stop = (): Promise<unknown> => Promise.resolve()
  let side: Side | undefined
  let ended: unknown

  beforeAll(async () => {
    writeFileSync(runs, '')
    const port = await freePort()
    const first = await startTarget(port, runs)
    side = await new Side(first.url, runs).open()
    for (const { what, open } of OPEN_THINGS) resumed.set(what, await open(side))
    // This call is open when the first process ends and the second one starts.
    const client = await connected(first.url)
    const call = client.callTool('slow', { about: 'client' }).catch((error: unknown) => error)
    await vi.waitFor(() => expect(side?.runsOf('slow client')).toBe(1))
    await first.stop(signal)
    const second = await startTarget(port, runs)
    stop = () => second.stop('SIGKILL')
    ended = { call: await call, next: (await client.listTools()).length, runs: side.runsOf('slow client') }
    await client.close()
  })
  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })

  it.each(OPEN_THINGS.map(({ what, outcome }) => [what, outcome] as const))('%s', async (what, outcome) => {
    expect(await resumed.get(what)?.()).toEqual(outcome(reason))
  })

  it('the client’s next request succeeds, but its interrupted call is not retried', () => {
    expect(ended).toMatchObject({ call: expect.any(Error), next: 5, runs: 1 })
  })
})

async function connected(url: string): Promise<Client> {
  const client = new Client({ name: 'restart', version: '1.0.0' }, { revisions: ['2025-11-25'] })
  return client.connect(http(url, { reconnect: { initialDelayMs: 10 } }))
}

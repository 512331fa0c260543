import { env } from 'node:process'
import { performance } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { CLIENTS, type DevClient } from './support/clients.ts'
import { createProject, definition, TRANSPORTS } from './support/project.ts'

/** Saves for each client and transport. The long form, which takes an hour: `JETWAY_SYSTEM_TESTS=full`. */
const SAVES = env['JETWAY_SYSTEM_TESTS'] === 'full' ? 200 : 2

/** Calls without pause until `stop`. Resolves to the number of calls. */
function callAlways(client: DevClient): { stop(): Promise<number> } {
  const ending = new AbortController()
  const run = async (): Promise<number> => {
    let calls = 0
    for (; !ending.signal.aborted; calls++) expect(await client.echo(`call ${calls}`)).toBe(`call ${calls}`)
    return calls
  }
  const running = run()
  running.catch(() => {})
  return {
    stop() {
      ending.abort()
      return running
    },
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

describe.each(Object.entries(TRANSPORTS))('saves over %s', (transport, start) => {
  it.each(Object.entries(CLIENTS))(
    'keep the connection of %s',
    { timeout: 3_600_000 },
    async (name, connect) => {
      const project = await createProject(definition())
      const client = await connect(await start(project))
      const session = client.sessionId()
      const calling = callAlways(client)
      const times: number[] = []
      for (let save = 0; save < SAVES; save++) {
        const changed = client.changed()
        const code = definition([`save_${save}`])
        const begin = performance.now()
        await (save % 2 === 0 ? project.save(code) : project.replace(code))
        await changed
        times.push(performance.now() - begin)
        expect(await client.tools()).toEqual(['echo', `save_${save}`])
      }
      expect(await calling.stop()).toBeGreaterThan(SAVES)
      expect(client.repeated()).toBe(0)
      expect(client.sessionId()).toBe(session)
      await client.close()
      console.log(
        `${transport}, ${name}: ${SAVES} saves, list_changed after ${Math.round(median(times))} ms (median)`,
      )
    },
  )
})

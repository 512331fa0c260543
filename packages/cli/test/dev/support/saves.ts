import { performance } from 'node:perf_hooks'
import { expect } from 'vitest'
import type { DevClient } from './clients.ts'
import { definition, type Project } from './project.ts'

interface Calling {
  /** Stops calling. Resolves to the number of calls. Rejects if any response was incorrect. */
  stop(): Promise<number>
}

/** Calls without pause until `stop` is called. */
function callAlways(client: DevClient): Calling {
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

/**
 * Saves the file repeatedly while the clients call without pause. Each call must receive exactly one correct
 * response. Each client must be notified of each save, and keep its session. Resolves to the measurements.
 */
export async function saveWhileCalling(
  project: Project,
  clients: Readonly<Record<string, DevClient>>,
  saves: number,
): Promise<string> {
  const each = Object.entries(clients).map(([name, client]) => ({
    name,
    client,
    session: client.sessionId(),
    calling: callAlways(client),
    times: [] as number[],
  }))
  for (let save = 0; save < saves; save++) {
    const code = definition([`save_${save}`])
    const begin = performance.now()
    const seen = each.map(async ({ client, times }) => {
      await client.changed()
      times.push(performance.now() - begin)
      expect(await client.tools()).toEqual(['echo', `save_${save}`])
    })
    await (save % 2 === 0 ? project.save(code) : project.replace(code))
    await Promise.all(seen)
  }
  const figures: string[] = []
  for (const { name, client, session, calling, times } of each) {
    const calls = await calling.stop()
    expect(calls).toBeGreaterThan(saves)
    expect(client.repeated()).toBe(0)
    expect(client.sessionId()).toBe(session)
    figures.push(`${name}: ${calls} calls, list_changed after ${Math.round(median(times))} ms`)
  }
  return `${saves} saves. ${figures.join('. ')}`
}

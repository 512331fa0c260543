/** Needs the document that `.ci/github-openapi.mjs` fetches. */
import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { openApi, survey } from '../src/index.ts'
import { compiled, everything } from './support/compiled.ts'
import { github } from './support/documents.ts'
import { roundTrip } from './support/round-trip.ts'

const milliseconds = (work: () => void): number => {
  const started = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}

describe('the document of GitHub', () => {
  it('becomes about 1,200 tools that compile', async () => {
    const document = await github()
    const names = await compiled(document)
    expect(names.length).toBeGreaterThan(1_000)
    expect(new Set(names).size).toBe(names.length)
    // One operation has a server of its own.
    expect(names.length).toBe(survey(document).operations.length - 1)
  })

  it('starts in the time of a few copies of the document', async () => {
    const document = await github()
    const options = everything(document)
    const start = (): void => {
      const server = new McpServer({ name: 'github', version: '1' }, { logger: silent })
      server.observe(openApi(document, options))
    }
    const copy = milliseconds(() => void JSON.parse(JSON.stringify(document)))
    // About 7 copies, which take a second on the machine of a developer. Another process may disturb one of them.
    expect(milliseconds(start)).toBeLessThan(20 * copy)
  })

  it('gets requests that match it', async () => {
    const { calls, faults } = await roundTrip(await github(), 1)
    expect(faults).toEqual([])
    expect(calls).toBeGreaterThan(800)
  })
})

import { execFile } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { map } from './support/design-map.ts'
import type { Walk } from './support/walk/main.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs `npm run walk`, always from the sources. */
async function measure(): Promise<Walk[]> {
  const options = ['--import', 'tsx', '--conditions=jetway:source']
  const script = 'packages/testing/test/support/walk/main.ts'
  const { stdout } = await promisify(execFile)(execPath, [...options, script, '--json'], { cwd: root })
  return JSON.parse(stdout) as Walk[]
}

/** The maximum that one request may pass through, and the section of the map that describes it. */
const FLOWS = [
  {
    flow: 'POST tools/call, session',
    most: { files: 50, functions: 150, frames: 22 },
    onMap: 'A tools/call in a session, over Fastify',
  },
  {
    flow: 'POST tools/call, 2026-07-28',
    most: { files: 50, functions: 150, frames: 20 },
    onMap: 'The same at 2026-07-28',
  },
  // A GET runs no handler.
  {
    flow: 'GET stream',
    most: { files: 33, functions: 135, frames: 0 },
    onMap: 'The GET stream of a session',
  },
  {
    flow: 'HTTP+SSE message',
    most: { files: 55, functions: 170, frames: 25 },
    onMap: 'HTTP+SSE of 2024-11-05',
  },
  {
    flow: 'stdio tools/call',
    most: { files: 42, functions: 110, frames: 19 },
    onMap: 'stdio',
  },
] as const

/** Returns the name that a walk uses for a file, such as `core/http/endpoint`. */
const nameOf = (path: string): string => path.replace(/^packages\/(.+?)\/src\/(.+)\.ts$/, '$1/$2')

describe('npm run walk', () => {
  let walks: readonly Walk[] = []
  beforeAll(async () => {
    walks = await measure()
  })

  const walkOf = (flow: string): Walk => {
    const found = walks.find((walk) => walk.flow === flow)
    if (found === undefined) throw new Error(`npm run walk did not measure ${flow}`)
    return found
  }

  it.each(FLOWS)('stays within the maximum $most for $flow', ({ flow, most }) => {
    const { files, functions, frames } = walkOf(flow)
    // Coverage that finds nothing must not pass.
    expect(functions.length).toBeGreaterThan(files.length)
    expect(files.length).toBeGreaterThan(most.files / 2)
    expect(frames > 0).toBe(most.frames > 0)
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.files)
    expect(functions.length, functions.join('\n')).toBeLessThanOrEqual(most.functions)
    expect(frames).toBeLessThanOrEqual(most.frames)
  })

  it.each(FLOWS)('runs every step in the code map for $flow', ({ flow, onMap }) => {
    const steps = map.hops.filter((hop) => hop.flow === onMap && hop.isStep).map(({ path }) => nameOf(path))
    expect(steps.length).toBeGreaterThan(5)
    const { files } = walkOf(flow)
    expect(steps.filter((name) => !files.includes(name))).toEqual([])
  })

  it('runs code in exactly the files that the code map names for a call in a session', () => {
    const [{ flow, onMap }] = FLOWS
    const named = map.hops.filter((hop) => hop.flow === onMap).map(({ path }) => nameOf(path))
    // The JSON Schema validator is a separate package that knows nothing about MCP.
    const ran = walkOf(flow).files.filter((name) => !name.startsWith('json-schema/'))
    expect([...new Set(named)].toSorted()).toEqual(ran.toSorted())
  })
})

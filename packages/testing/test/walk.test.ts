import { execFile } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Walk } from './support/walk/main.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** `npm run walk`, always from sources. */
async function measure(): Promise<Walk[]> {
  const options = ['--import', 'tsx', '--conditions=jetway:source']
  const script = 'packages/testing/test/support/walk/main.ts'
  const { stdout } = await promisify(execFile)(execPath, [...options, script, '--json'], { cwd: root })
  return JSON.parse(stdout) as Walk[]
}

describe('the way of a request', () => {
  let walks: readonly Walk[] = []
  beforeAll(async () => {
    walks = await measure()
  })

  it.each([
    ['POST tools/call, session', ['core/http/endpoint', 'fastify/plugin']],
    ['POST tools/call, 2026-07-28', ['core/http/endpoint', 'core/http/guard/routing-headers']],
    ['GET stream', ['core/http/endpoint', 'fastify/plugin']],
    ['HTTP+SSE message', ['core/http/endpoint', 'fastify/plugin']],
    ['stdio tools/call', ['stdio/transport', 'stdio/line-writer']],
  ])('leads %s through %j', (flow, through) => {
    const { files = [], functions = [], frames = 0 } = walks.find((walk) => walk.flow === flow) ?? {}
    expect(files).toEqual(expect.arrayContaining(through))
    expect(functions.length).toBeGreaterThan(files.length)
    // No handler runs for a GET.
    expect(frames > 0).toBe(flow !== 'GET stream')
  })
})

import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { tieredEngine } from '../../../src/schema/tiered-engine.ts'
import * as z from 'zod'
import { inputRequired } from '../../../src/features/tools/input-required.ts'
import { elicit, listRoots } from '../../../src/call/input/question.ts'
import { McpServer } from '../../../src/server/mcp-server.ts'
import { openAnsweringClient } from '../../support/answering-client.ts'
import { call as callMethod, errorOf } from '../helpers.ts'
import { createFeatures } from '../../../src/features/features.ts'
import { PARTS } from '../parts.ts'

const ok = z.object({ ok: z.boolean() })

describe('inputRequired in a tool', () => {
  it('must wrap a question that a handler returns', async () => {
    const errors: unknown[] = []
    const server = new McpServer(
      { name: 'a', version: '1' },
      { logger: silent, onError: (error) => errors.push(error) },
    )
    server.addTool({ name: 'a', handler: () => elicit('Sure?', ok) })
    const client = await openAnsweringClient(server)
    expect((await client.call('a')).result?.['isError']).toBe(true)
    expect(String(errors[0])).toContain('returned a question; declare it in asks')
  })

  it('accepts only questions', () => {
    expect(() => inputRequired({ confirm: 'Sure?' as never })).toThrow('"confirm" is not a question')
  })

  it('causes an error if there is no channel to the client', async () => {
    const { tools, methods } = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {} })
    tools.registry.add({ name: 'a', handler: () => inputRequired({ roots: listRoots() }) })
    expect(await errorOf(() => callMethod(methods, 'tools/call', { name: 'a' }))).toMatchObject({
      message: 'The outcome is needs-input',
    })
  })
})

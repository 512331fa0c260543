import { expect } from 'vitest'
import { CONTENTS } from './contents.ts'
import { CONVERSATION } from './conversation.ts'
import { type Feature, text, walk } from './feature.ts'
import { TOOLS } from './tools.ts'

/** What belongs to sessions, or is done by other means where there are none. */
const OF_SESSIONS =
  /^(initialize|ping|logging|list_changed|resources\/subscribe|tools\/call: an output that is no object)/

const discover: Feature = {
  name: 'server/discover: the server introduces itself and says what it can do, and nothing of sessions',
  async run(driver) {
    const { info, capabilities, instructions } = driver.server()
    expect(info).toMatchObject({ name: 'everything', version: '1.0.0', title: 'Everything' })
    expect(instructions).toBe('A server for tests: nothing here is of use.')
    expect(capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    })
    expect(capabilities).not.toHaveProperty('tasks')
    expect(await driver.callTool('describe_call')).toMatchObject({
      structuredContent: { client: 'matrix', protocolVersion: '2026-07-28', session: false },
    })
  },
}

const logging: Feature = {
  name: 'logging: messages of the level that the request names, and graver ones, and none where it names none',
  async run(driver) {
    const levels = (): unknown[] =>
      driver.inbox.of('notifications/message').map(({ params }) => params?.['level'])
    const level = (value: string): Record<string, unknown> => ({ 'io.modelcontextprotocol/logLevel': value })
    driver.inbox.clear()
    await driver.callTool('log_every_level')
    expect(levels()).toEqual([])
    await driver.callTool('log_every_level', {}, { meta: level('error') })
    expect(levels()).toEqual(['error', 'critical', 'alert', 'emergency'])
    driver.inbox.clear()
    await driver.callTool('log_every_level', {}, { meta: level('debug') })
    expect(levels()).toHaveLength(8)
  },
}

const output: Feature = {
  name: 'tools/call: an output that is no object arrives as it is, and its schema with it',
  async run(driver) {
    const { items } = await walk(driver, 'tools/list', 'tools')
    expect(items.find(({ name }) => name === 'squares')).toMatchObject({ outputSchema: { type: 'array' } })
    expect(await driver.callTool('squares', { count: 3 })).toMatchObject({
      structuredContent: [1, 4, 9],
      ...text('[1,4,9]'),
    })
  },
}

/** What is done over requests that stand for themselves. */
export const MODERN_FEATURES: readonly Feature[] = [
  discover,
  logging,
  output,
  ...[...CONVERSATION, ...TOOLS, ...CONTENTS].filter(({ name }) => !OF_SESSIONS.test(name)),
]

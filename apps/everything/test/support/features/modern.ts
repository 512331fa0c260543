import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { CONTENTS } from './contents.ts'
import { CONVERSATION } from './conversation.ts'
import { type Feature, names, text, walk } from './feature.ts'
import { TOOLS } from './tools.ts'

/** Features that need sessions, and those that behave differently without sessions. */
const OF_SESSIONS = /^(initialize|ping|logging|tools\/call: an output that is no object)/

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
      extensions: {
        'io.modelcontextprotocol/ui': {},
        'io.modelcontextprotocol/skills': { directoryRead: true },
      },
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

const skills: Feature = {
  name: 'skills: listed page by page with digests that their files keep, and folder by folder',
  async run(driver) {
    const { pages, items } = await walk(driver, 'skills/list', 'skills')
    expect(pages).toBe(2)
    expect(items).toMatchObject([
      { uri: 'skill://code-review/SKILL.md', frontmatter: { license: 'Apache-2.0' } },
      { uri: 'skill://daily-report/SKILL.md', resources: 'dynamic' },
      { uri: 'skill://everything/billing/refunds/SKILL.md', frontmatter: { name: 'refunds' } },
    ])
    const files = items[0]?.['resources'] as readonly { uri: string; digest: string; size: number }[]
    expect(files).toHaveLength(3)
    for (const { uri, digest, size } of files) {
      const { contents } = await driver.readResource(uri)
      const [read] = contents as [{ text?: string; blob?: string }]
      const bytes = read.text === undefined ? Buffer.from(read.blob ?? '', 'base64') : Buffer.from(read.text)
      expect(bytes).toHaveLength(size)
      expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest)
    }
    const folder = await walk(driver, 'resources/directory/read', 'resources', { uri: 'skill://code-review' })
    expect(names(folder.items)).toEqual(['code-review', 'assets', 'references'])
  },
}

let listed: string | undefined

const order: Feature = {
  name: 'lists are in one order: that of every other process of the server, whatever has been asked of it',
  async run(driver) {
    const lists: unknown[] = []
    for (const [method, key] of [
      ['tools/list', 'tools'],
      ['prompts/list', 'prompts'],
      ['resources/list', 'resources'],
      ['resources/templates/list', 'resourceTemplates'],
      ['skills/list', 'skills'],
    ] as const) {
      const { items } = await walk(driver, method, key)
      expect(items.length).toBeGreaterThan(0)
      lists.push(items)
    }
    listed ??= JSON.stringify(lists)
    expect(JSON.stringify(lists)).toBe(listed)
  },
}

/** Features of requests without a session. */
export const MODERN_FEATURES: readonly Feature[] = [
  discover,
  logging,
  output,
  skills,
  ...[...CONVERSATION, ...TOOLS, ...CONTENTS].filter(({ name }) => !OF_SESSIONS.test(name)),
  order,
]

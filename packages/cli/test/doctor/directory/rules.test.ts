import type { Tool } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { CHATGPT } from '../../../src/doctor/directory/chatgpt.ts'
import type { Facts } from '../../../src/doctor/directory/facts.ts'
import { DIRECTORIES } from '../../../src/doctor/directory/index.ts'
import { submissionOf } from '../../../src/doctor/directory/submission.ts'
import type { PackageJson } from '../../../src/project/package-json.ts'

const tool: Tool = {
  name: 'get_order',
  title: 'Order',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
}
const reasons = { readOnly: 'It reads', destructive: 'It keeps', openWorld: 'It stays' }
const testCase = { description: 'a', prompt: 'b', expected: 'c' }

/** The information about a server that every directory accepts. */
const good: Facts = {
  packageJson: {
    name: 'shop',
    version: '1.2.3',
    description: 'Sells things',
    mcpName: 'io.github.ann/shop',
    repository: { url: 'https://github.com/ann/shop' },
  } as PackageJson,
  jetwayJson: {
    shortDescription: 'Sells things',
    longDescription: 'It sells things',
    category: 'SHOPPING',
    prompts: ['Buy it'],
    support: 'https://shop.example/support',
    documentation: 'https://shop.example/docs',
    privacyPolicy: 'https://shop.example/privacy',
    termsOfService: 'https://shop.example/terms',
    tools: { get_order: reasons },
    testCases: {
      positive: Array.from({ length: 5 }, () => ({ ...testCase, tools: ['get_order'] })),
      negative: Array.from({ length: 3 }, () => testCase),
    },
  },
  title: 'Shop',
  website: 'https://shop.example',
  tools: [tool],
  hasView: false,
  isInstalled: true,
  url: 'https://shop.example/mcp',
  readme: '# Shop\n\n## Examples\n\n- one\n- two\n- three\n\n## Privacy Policy\n\nNothing is stored.\n',
  manifest: { privacy_policies: ['https://shop.example/privacy'] },
  icon: { path: 'icon.png', size: { width: 512, height: 512 } },
  screenshots: [],
  registryProblems: [],
}

const check = (directory: string, facts: Facts) =>
  (DIRECTORIES[directory] ?? []).map((rule) => ({ ...rule, outcome: rule.check(facts) }))

const brokenIn = (directory: string, change: Partial<Facts>): readonly string[] =>
  check(directory, { ...good, ...change }).flatMap(({ id, level, outcome }) =>
    outcome.kind === 'broken' ? [`${level} ${id}`] : [],
  )

const withTool = (change: Partial<Tool>): Partial<Facts> => ({ tools: [{ ...tool, ...change }] })
const withoutHint = (hint: string): Partial<Facts> => {
  const annotations = Object.fromEntries(
    Object.entries(tool.annotations ?? {}).filter(([name]) => name !== hint),
  )
  return withTool({ annotations })
}
const withJson = (change: object): Partial<Facts> => ({ jetwayJson: { ...good.jetwayJson, ...change } })

describe.each(Object.keys(DIRECTORIES))('--directory %s', (directory) => {
  it('finds no faults in a good server', () => {
    expect(brokenIn(directory, {})).toEqual([])
  })

  it('has rules with unique ids, each with the URL of its source and the date when it was read', () => {
    const rules = DIRECTORIES[directory] ?? []
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
    for (const { source, read } of rules) {
      expect(source).toMatch(/^https:\/\//)
      expect(new Date(read).toISOString().slice(0, 10)).toBe(read)
    }
  })

  it('reports a check that only a person can make as a step for the user, not as passed', () => {
    expect(check(directory, good).filter(({ outcome }) => outcome.kind === 'step').length).toBeGreaterThan(0)
  })
})

describe('--directory claude', () => {
  it.each<[id: string, change: Partial<Facts>]>([
    ['fault tool-hints', withTool({ annotations: { title: 'a' } })],
    ['fault tool-titles', withTool({ title: ' ' })],
    ['fault tool-contradictions', withTool({ annotations: { readOnlyHint: true, destructiveHint: true } })],
    ['warning tool-name-contradictions', withTool({ name: 'delete_order' })],
    ['warning tool-name-contradictions', withTool({ name: 'deleteOrder' })],
    ['fault privacy-readme', { readme: '# Shop\n\nIt says private\n\n## Usage\n\n- a\n- b\n- c\n' }],
    ['fault privacy-policy', withJson({ privacyPolicy: undefined })],
    ['fault privacy-manifest', { manifest: {} }],
    ['fault support', withJson({ support: undefined })],
    ['fault documentation', withJson({ documentation: `https://shop.example/${'x'.repeat(1_024)}` })],
    ['fault examples', { readme: '## Examples\n\n- one\n- two\n\n## Privacy\n\n- three\n' }],
    ['fault platforms', { manifest: { ...good.manifest, compatibility: { platforms: ['linux'] } } }],
    ['warning icon', { icon: undefined }],
    ['warning icon', { icon: { path: 'a.png', size: { width: 128, height: 128 } } }],
  ])('reports %s', (id, change) => {
    expect(brokenIn('claude', change)).toEqual([id])
  })

  it('accepts a tool with only one hint, and with its title only in the annotations', () => {
    expect(
      brokenIn('claude', withTool({ title: '', annotations: { title: 'Order', readOnlyHint: true } })),
    ).toEqual([])
  })

  it('does not require a manifest or a privacy section from a remote server', () => {
    expect(
      brokenIn('claude', {
        isInstalled: false,
        readme: '## Usage\n\n1. a\n2. b\n3. c\n',
        manifest: undefined,
      }),
    ).toEqual([])
  })

  it('reports the manifest check as a step for the user if no bundle was given', () => {
    const found = check('claude', { ...good, manifest: undefined }).find(
      ({ id }) => id === 'privacy-manifest',
    )
    expect(found?.outcome.kind).toBe('step')
  })
})

describe('--directory chatgpt', () => {
  it.each<[id: string, change: Partial<Facts>]>([
    ['fault tool-hints', withoutHint('readOnlyHint')],
    ['fault tool-hints', withoutHint('destructiveHint')],
    ['fault tool-hints', withoutHint('openWorldHint')],
    ['fault tool-reasons', withJson({ tools: { get_order: { ...reasons, openWorld: undefined } } })],
    ['fault tool-contradictions', withTool({ annotations: { ...tool.annotations, destructiveHint: true } })],
    ['warning output-schemas', withTool({ outputSchema: undefined as never })],
    ['fault name', { title: 'x'.repeat(31) }],
    ['fault short-description', withJson({ shortDescription: 'x'.repeat(31) })],
    ['fault long-description', withJson({ longDescription: undefined })],
    ['fault category', withJson({ category: undefined })],
    ['fault prompts', withJson({ prompts: ['a', 'b', 'c', 'd'] })],
    ['fault prompts', withJson({ prompts: ['x'.repeat(129)] })],
    ['fault website', { website: 'http://shop.example' }],
    ['fault terms-of-service', withJson({ termsOfService: undefined })],
    ['fault icon', { icon: { path: 'a.png', size: { width: 512, height: 256 } } }],
    ['fault icon', { icon: { path: 'a.svg', size: undefined } }],
    ['warning screenshots', { hasView: true }],
    [
      'warning screenshots',
      { hasView: true, screenshots: [{ path: 'a.png', size: { width: 700, height: 400 } }] },
    ],
    ['fault test-cases', withJson({ testCases: { ...good.jetwayJson.testCases, negative: [] } })],
    [
      'fault test-cases',
      withJson({
        testCases: {
          ...good.jetwayJson.testCases,
          positive: Array.from({ length: 5 }, () => ({ ...testCase, tools: ['gone'] })),
        },
      }),
    ],
    ['fault https', { url: 'http://shop.example/mcp' }],
    ['fault https', { url: undefined }],
  ])('reports %s', (id, change) => {
    expect(brokenIn('chatgpt', change)).toEqual([id])
  })

  it('names the missing hint and the tools without it', () => {
    const found = CHATGPT.find(({ id }) => id === 'tool-hints')?.check({
      ...good,
      ...withoutHint('openWorldHint'),
    })
    expect(found).toMatchObject({ evidence: 'openWorldHint is missing in get_order' })
  })

  it('accepts screenshots of the required width', () => {
    const screenshots = [{ path: 'a.png', size: { width: 706, height: 400 } }]
    expect(brokenIn('chatgpt', { hasView: true, screenshots })).toEqual([])
  })
})

describe('--directory registry', () => {
  it('reports what the registry would reject', () => {
    const registryProblems = [{ rule: 'name', text: 'There is no name', advice: 'Set it' }]
    expect(brokenIn('registry', { registryProblems })).toEqual(['fault server-json'])
  })

  it('warns about a package without a repository', () => {
    expect(brokenIn('registry', { packageJson: { ...good.packageJson, repository: undefined } })).toEqual([
      'warning repository',
    ])
  })
})

describe('submissionOf', () => {
  it("returns the members of OpenAI's import file", () => {
    expect(submissionOf(good)).toEqual({
      $schema: 'https://developers.openai.com/plugins/schemas/chatgpt-app-submission.v1.json',
      schema_version: 1,
      app_info: {
        display_name: 'Shop',
        subtitle: 'Sells things',
        description: 'It sells things',
        category: 'SHOPPING',
      },
      tools: {
        get_order: {
          annotations: { readOnlyHint: true, openWorldHint: false, destructiveHint: false },
          justifications: {
            read_only_justification: 'It reads',
            open_world_justification: 'It stays',
            destructive_justification: 'It keeps',
          },
        },
      },
      test_cases: Array.from({ length: 5 }, () => ({
        description: 'a',
        user_prompt: 'b',
        file_attachment_urls: null,
        tools_triggered: 'get_order',
        expected_output: 'c',
        expected_output_url: null,
      })),
      negative_test_cases: Array.from({ length: 3 }, () => ({
        description: 'a',
        user_prompt: 'b',
        file_attachment_urls: null,
        tools_triggered: null,
        expected_output: 'c',
        expected_output_url: null,
      })),
    })
  })
})

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../../', import.meta.url)

interface Surroundings {
  readonly actions: Readonly<Record<string, { readonly digest: string; readonly version: string }>>
  readonly exists: (path: string) => boolean
  readonly scripts: readonly string[]
  readonly artefacts: readonly string[]
}

interface Lint {
  readonly lintWorkflow: (name: string, text: string, around: Surroundings) => Promise<string[]>
}

interface Forms {
  readonly checkForm: (form: unknown, labels: readonly string[]) => string[]
  readonly checkLabels: (labels: readonly unknown[]) => string[]
  readonly checkDependabot: (config: unknown, labels: readonly string[]) => string[]
}

const load = async <T>(path: string): Promise<T> => (await import(new URL(path, root).href)) as T
const { lintWorkflow } = await load<Lint>('scripts/workflows/lint.mjs')
const { checkForm, checkLabels, checkDependabot } = await load<Forms>('scripts/workflows/forms.mjs')
const { actions } = JSON.parse(readFileSync(new URL('scripts/actions.json', root), 'utf8')) as Surroundings

const uses = (action: string): string => {
  const { digest = '', version = '' } = actions[`actions/${action}`] ?? {}
  return `actions/${action}@${digest} # ${version}`
}

const around: Surroundings = {
  actions,
  exists: (path) => path === 'scripts/a.mjs' || path === '.ci/run',
  scripts: ['test', 'build'],
  artefacts: ['upload.mjs'],
}

const CHECKOUT = `uses: ${uses('checkout')}
        with:
          persist-credentials: false`

/** Returns a workflow with one job, some of whose lines and steps can be replaced. */
function workflow({
  on = 'push',
  permissions = 'contents: read',
  id = 'job',
  job = 'timeout-minutes: 5',
  steps = [CHECKOUT, 'run: npm test'],
}: {
  readonly on?: string
  readonly permissions?: string
  readonly id?: string
  readonly job?: string
  readonly steps?: readonly string[]
}): string {
  const list = steps.map((step) => `      - ${step}\n`).join('')
  return `on:
  ${on}:
permissions:
  ${permissions}
jobs:
  ${id}:
    runs-on: ubuntu-24.04
    ${job}
    steps:
${list}`
}

const lint = (text: string, name = 'release.yml'): Promise<string[]> => lintWorkflow(name, text, around)

describe('scripts/workflows.mjs', () => {
  it('accepts the workflows, issue forms, labels and update rules of this repository', () => {
    const script = fileURLToPath(new URL('scripts/workflows.mjs', root))
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})

describe('lintWorkflow', () => {
  it('accepts a workflow that follows the rules', async () => {
    const steps = [CHECKOUT, 'run: bash .ci/run', 'run: node scripts/a.mjs', 'run: npm run build && npm test']
    expect(await lint(workflow({ steps }))).toEqual([])
  })

  it.each([
    ['an unknown key of a job', workflow({ job: 'timeout: 5' }), 'timeout'],
    ['an unknown event', workflow({ on: 'pushed' }), 'pushed'],
    ['an expression that does not parse', workflow({ job: "if: github.event_name = 'push'" }), 'Unexpected'],
    ['an unknown context in an expression', workflow({ job: 'if: gitlab.ref' }), 'gitlab'],
    ['text that is no YAML', 'on: [push\njobs: {', ''],
    ['a job that needs a missing one', workflow({ job: 'needs: other' }), 'no dependencies'],
  ])("rejects %s with GitHub's own parser", async (_, text, word) => {
    const problems = await lint(text)
    expect(problems).not.toEqual([])
    expect(problems.join('\n')).toContain(word)
  })

  it.each([
    [
      'an action that is pinned by a tag',
      { steps: ['uses: actions/setup-node@v7'] },
      'is not pinned by a digest',
    ],
    [
      'an action that is not listed',
      { steps: [`uses: some/action@${'a'.repeat(40)} # v1.0.0`] },
      'some/action is not in scripts/actions.json',
    ],
    [
      'another digest of a listed action',
      { steps: [`uses: actions/setup-node@${'a'.repeat(40)} # v7.0.0`] },
      'has another digest',
    ],
    [
      'a digest with the comment of another version',
      { steps: [`uses: ${uses('setup-node').replace(/ #.*/, ' # v1.2.3')}`] },
      'needs the comment',
    ],
    [
      'an input that the action lacks',
      { steps: [`uses: ${uses('setup-node')}\n        with:\n          node: 20`] },
      'has no input node',
    ],
    [
      'a checkout that leaves credentials',
      { steps: [`uses: ${uses('checkout')}`] },
      'persist-credentials: false',
    ],
    [
      'a registry whose file hides the identity of the workflow',
      {
        steps: [
          `uses: ${uses('setup-node')}\n        with:\n          registry-url: https://registry.npmjs.org`,
        ],
      },
      'registry-url makes npm use a token',
    ],
    ['more rights at the top', { permissions: 'contents: write' }, 'must be "contents: read"'],
    [
      'a right to write in a job that has no need of it',
      { job: 'timeout-minutes: 5\n    permissions:\n      id-token: write' },
      'it may not have id-token: write',
    ],
    ['all rights', { job: 'timeout-minutes: 5\n    permissions: write-all' }, 'name each permission'],
    ['an event that runs the code of strangers', { on: 'pull_request_target' }, 'strangers'],
    ['a job without a time limit', { job: 'env: {}' }, 'it needs timeout-minutes'],
    [
      'an expression inside a script',
      { steps: ['run: echo "${{ github.event.issue.title }}"'] },
      'pass expressions to a script by env',
    ],
    [
      'a script that does not exist',
      { steps: [CHECKOUT, 'run: node scripts/b.mjs'] },
      'scripts/b.mjs does not',
    ],
    ['a script that package.json lacks', { steps: [CHECKOUT, 'run: npm run deploy'] }, 'no script deploy'],
    [
      'a file that the job did not check out',
      { steps: ['run: node scripts/a.mjs'] },
      'scripts/a.mjs does not exist',
    ],
    ['a checkout in the job that uploads', { id: 'publish' }, 'may not check out'],
    [
      'an installation in the job that uploads',
      { id: 'publish', steps: ['run: npm install && node release/upload.mjs'] },
      'may not install',
    ],
  ])('rejects %s', async (_, parts, problem) => {
    const problems = await lint(workflow(parts))
    expect(problems.join('\n')).toContain(problem)
  })

  it('allows a write permission only for jobs that need it, and only in their own workflow file', async () => {
    const text = workflow({
      id: 'publish',
      job: 'timeout-minutes: 5\n    permissions:\n      id-token: write',
      steps: ['run: node release/upload.mjs'],
    })
    expect(await lint(text)).toEqual([])
    expect(await lint(text, 'ci.yml')).toEqual([
      'job publish: it may not have id-token: write; see WRITERS in scripts/workflows/rules.mjs',
    ])
  })
})

describe('checkForm', () => {
  const form = {
    name: 'Bug',
    description: 'It fails',
    labels: ['bug'],
    body: [{ type: 'input', id: 'version', attributes: { label: 'Version' } }],
  }

  it('accepts a form with a field', () => {
    expect(checkForm(form, ['bug'])).toEqual([])
  })

  it.each([
    ['a label that the repository lacks', { ...form, labels: ['bugs'] }, 'the label bugs is not in'],
    ['an unknown key', { ...form, fields: [] }, 'unknown key fields'],
    [
      'no field',
      { ...form, body: [{ type: 'markdown', attributes: { value: 'Hello' } }] },
      'body needs a field',
    ],
    ['two fields with one id', { ...form, body: [...form.body, ...form.body] }, 'the same id'],
    ['an unknown type', { ...form, body: [{ type: 'text' }] }, 'unknown type text'],
    ['a field without a label', { ...form, body: [{ type: 'input' }] }, 'needs the attribute label'],
    [
      'a list without options',
      { ...form, body: [{ type: 'dropdown', attributes: { label: 'One' } }] },
      'it needs options',
    ],
  ])('rejects %s', (_, wrong, problem) => {
    expect(checkForm(wrong, ['bug']).join('\n')).toContain(problem)
  })
})

describe('checkLabels', () => {
  const labels = JSON.parse(readFileSync(new URL('.github/labels.json', root), 'utf8')) as object[]

  it('reports a label that is missing, duplicated or without a colour', () => {
    expect(checkLabels(labels.slice(1))).toEqual(['the label bug is missing'])
    expect(checkLabels([...labels, labels[0]])).toEqual(['bug is there twice'])
    expect(checkLabels([...labels, { name: 'x', color: 'red', description: '' }])).toHaveLength(2)
  })
})

describe('checkDependabot', () => {
  const update = { directory: '/', schedule: { interval: 'weekly' }, cooldown: { 'default-days': 7 } }
  const updates = ['npm', 'github-actions'].map((name) => ({ 'package-ecosystem': name, ...update }))

  it('accepts updates of npm packages and of actions', () => {
    expect(checkDependabot({ version: 2, updates }, [])).toEqual([])
  })

  it('rejects updates without a cooldown, with unknown keys, or of npm packages only', () => {
    const [npm] = updates
    expect(checkDependabot({ version: 2, updates: [npm] }, [])).toEqual(['github-actions is not updated'])
    const hasty = { ...npm, cooldown: undefined, every: 'day' }
    expect(checkDependabot({ version: 1, updates: [hasty, updates[1]] }, [])).toEqual([
      'version must be 2',
      'npm: unknown key every',
      'npm: cooldown.default-days must be at least 7',
    ])
  })
})

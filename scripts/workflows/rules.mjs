/** Rules for workflows that no schema contains: pinned actions, few permissions, and no untrusted text in a shell. */

/**
 * The jobs that may have write permissions, keyed by file name. The templates of `create-jetway` use the same
 * names.
 */
const WRITERS = {
  'docs.yml': { deploy: ['id-token', 'pages'] },
  'release.yml': {
    npm: ['id-token'],
    publish: ['id-token'],
    registry: ['id-token'],
    release: ['contents'],
  },
}
/** The jobs that have a token for npm. They must not run third-party code. */
const UPLOADERS = ['npm', 'publish']
const INSTALLS = /\b(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install|add|exec|dlx)\b|\b(?:npx|bunx)\b|pnpm\.mjs/
const STRANGERS = ['pull_request_target', 'workflow_run', 'issue_comment']

/** @typedef {{ actions: Record<string, any>, exists: (path: string) => boolean, scripts: readonly string[], artefacts: readonly string[] }} Surroundings */

/**
 * @param {string} name the name of the file, such as `ci.yml`
 * @param {any} workflow its content
 * @param {Map<string, string>} comments the comment after each `uses`, keyed by its value
 * @param {Surroundings} around what the workflow can use
 * @returns {string[]} problems
 */
export function checkWorkflow(name, workflow, comments, around) {
  const problems = []
  const rights = Object.entries(workflow?.permissions ?? {})
  if (rights.length !== 1 || workflow.permissions.contents !== 'read')
    problems.push('the permissions at the top must be "contents: read", and nothing else')
  for (const event of eventsOf(workflow?.on))
    if (STRANGERS.includes(event))
      problems.push(`${event} gives the rights of the repository to strangers' code`)
  for (const [id, job] of Object.entries(workflow?.jobs ?? {}))
    problems.push(
      ...checkJob(name, id, job ?? {}, comments, around).map((problem) => `job ${id}: ${problem}`),
    )
  return problems
}

const eventsOf = (on) => (typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(on ?? {}))

function checkJob(file, id, job, comments, around) {
  const problems = []
  if (typeof job['timeout-minutes'] !== 'number') problems.push('it needs timeout-minutes')
  if (typeof job.permissions === 'string') problems.push('name each permission')
  const allowed = WRITERS[file]?.[id] ?? []
  for (const [right, value] of Object.entries(typeof job.permissions === 'object' ? job.permissions : {}))
    if (value === 'write' && !allowed.includes(right))
      problems.push(`it may not have ${right}: write; see WRITERS in scripts/workflows/rules.mjs`)
  const steps = job.steps ?? []
  const checksOut = steps.some(({ uses = '' }) => uses.startsWith('actions/checkout@'))
  if (UPLOADERS.includes(id) && checksOut) problems.push('a job that uploads to npm may not check out')
  for (const step of steps) {
    if (step.uses !== undefined) problems.push(...checkAction(step, comments, around))
    if (step.run !== undefined) problems.push(...checkRun(id, step.run, checksOut, around))
  }
  return problems
}

function checkAction({ uses, with: inputs = {} }, comments, { actions }) {
  const [, action, digest] = /^([\w.-]+\/[\w./-]+)@([0-9a-f]{40})$/.exec(uses) ?? []
  if (action === undefined) return [`${uses} is not pinned by a digest of 40 digits`]
  const known = actions[action]
  if (known === undefined) return [`${action} is not in scripts/actions.json`]
  const problems = []
  if (known.digest !== digest) problems.push(`${action} has another digest in scripts/actions.json`)
  if (comments.get(uses) !== known.version)
    problems.push(`${uses} needs the comment "# ${known.version}" at its end`)
  for (const input of Object.keys(inputs))
    if (!known.inputs.includes(input)) problems.push(`${action} has no input ${input}`)
  if (action === 'actions/checkout' && inputs['persist-credentials'] !== false)
    problems.push('actions/checkout needs "persist-credentials: false"')
  if (action === 'actions/setup-node' && 'registry-url' in inputs)
    problems.push('registry-url makes npm use a token of a file in place of its own identity')
  return problems
}

function checkRun(id, run, checksOut, { exists, scripts, artefacts }) {
  const problems = []
  // GitHub inserts an expression into the script before the shell reads it.
  if (run.includes('${{')) problems.push('pass expressions to a script by env')
  if (UPLOADERS.includes(id) && INSTALLS.test(run)) problems.push('a job that uploads to npm may not install')
  for (const [, path] of run.matchAll(/\b(?:node|bash|sh)\s+((?:\.{0,2}\w[\w-]*\/)*\w[\w.-]*)/g))
    if (checksOut ? !exists(path) : !artefacts.includes(path.split('/').at(-1)))
      problems.push(`${path} does not exist`)
  for (const [, script] of run.matchAll(/\bnpm\s+(?:run\s+)?([\w:-]+)/g))
    if (isScript(run, script) && !scripts.includes(script))
      problems.push(`package.json has no script ${script}`)
  return problems
}

const isScript = (run, name) =>
  name === 'test' || name === 'start' || new RegExp(String.raw`\bnpm\s+run\s+${name}(?![\w:-])`).test(run)

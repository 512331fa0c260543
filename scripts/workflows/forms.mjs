/** The rules for the other files that GitHub reads: issue forms, labels and dependency updates. */
const ELEMENTS = {
  checkboxes: ['label', 'description', 'options'],
  dropdown: ['label', 'description', 'multiple', 'options', 'default'],
  input: ['label', 'description', 'placeholder', 'value'],
  markdown: ['value'],
  textarea: ['label', 'description', 'placeholder', 'value', 'render'],
}
const FORM = ['name', 'description', 'title', 'labels', 'assignees', 'projects', 'type', 'body']

const unknown = (value, known) => Object.keys(value ?? {}).filter((key) => !known.includes(key))

/**
 * @param {any} form an issue form @param {readonly string[]} labels the labels of the repository
 * @returns {string[]} problems
 */
export function checkForm(form, labels) {
  const problems = unknown(form, FORM).map((key) => `unknown key ${key}`)
  for (const key of ['name', 'description'])
    if (typeof form?.[key] !== 'string') problems.push(`${key} must be a string`)
  for (const label of form?.labels ?? [])
    if (!labels.includes(label)) problems.push(`the label ${label} is not in .github/labels.json`)
  const body = Array.isArray(form?.body) ? form.body : []
  if (!body.some(({ type }) => type !== 'markdown')) problems.push('body needs a field')
  const ids = body.flatMap(({ id }) => id ?? [])
  if (new Set(ids).size !== ids.length) problems.push('two fields have the same id')
  body.forEach((element, at) =>
    problems.push(...checkElement(element).map((problem) => `field ${element.id ?? at + 1}: ${problem}`)),
  )
  return problems
}

function checkElement({ type, id, attributes = {}, validations, ...rest }) {
  const known = ELEMENTS[type]
  if (known === undefined) return [`unknown type ${type}`]
  const problems = [
    ...unknown(rest, []).map((key) => `unknown key ${key}`),
    ...unknown(attributes, known).map((key) => `unknown attribute ${key}`),
    ...unknown(validations, ['required']).map((key) => `unknown validation ${key}`),
  ]
  if (id !== undefined && !/^[\w-]+$/.test(id)) problems.push('an id has letters, digits, - and _')
  const needed = type === 'markdown' ? 'value' : 'label'
  if (typeof attributes[needed] !== 'string') problems.push(`it needs the attribute ${needed}`)
  const { options } = attributes
  if (known.includes('options') && (!Array.isArray(options) || new Set(options).size !== options.length))
    problems.push('it needs options, each of them once')
  return problems
}

const TYPES = ['bug', 'enhancement', 'question']
const STATES = ['needs confirmation', 'needs repro', 'ready for work', 'good first issue', 'help wanted']
const LABELS = [...TYPES, ...STATES, 'P0', 'P1', 'P2', 'P3']

/** @param {readonly { name: string, color: string, description: string }[]} labels @returns {string[]} problems */
export function checkLabels(labels) {
  const names = labels.map(({ name }) => name)
  return [
    // The labels that the MCP project expects in the repository of an SDK (SEP-1730).
    ...LABELS.filter((name) => !names.includes(name)).map((name) => `the label ${name} is missing`),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is there twice`),
    ...labels.flatMap(({ name, color, description }) => [
      ...(/^[0-9a-f]{6}$/.test(color) ? [] : [`${name}: color must be six hexadecimal digits`]),
      ...(description?.length > 0 && description.length <= 100
        ? []
        : [`${name}: description must have 1 to 100 characters`]),
    ]),
  ]
}

const NEEDED = ['package-ecosystem', 'directory', 'directories', 'schedule', 'cooldown']
const CHOICES = ['allow', 'groups', 'ignore', 'labels', 'open-pull-requests-limit', 'versioning-strategy']
const UPDATE = [...NEEDED, ...CHOICES]
const INTERVALS = ['daily', 'weekly', 'monthly', 'quarterly', 'semiannually', 'yearly', 'cron']

/** @param {any} config `.github/dependabot.yml` @param {readonly string[]} labels @returns {string[]} problems */
export function checkDependabot(config, labels) {
  const problems = unknown(config, ['version', 'updates', 'registries']).map((key) => `unknown key ${key}`)
  if (config?.version !== 2) problems.push('version must be 2')
  for (const update of config?.updates ?? []) {
    const name = update['package-ecosystem']
    const found = unknown(update, UPDATE).map((key) => `unknown key ${key}`)
    if (!INTERVALS.includes(update.schedule?.interval)) found.push('schedule.interval is missing or unknown')
    if (update.directory === undefined && update.directories === undefined) found.push('directory is missing')
    if (!(update.cooldown?.['default-days'] >= 7)) found.push('cooldown.default-days must be at least 7')
    for (const label of update.labels ?? [])
      if (!labels.includes(label)) found.push(`the label ${label} is not in .github/labels.json`)
    problems.push(...found.map((problem) => `${name}: ${problem}`))
  }
  for (const name of ['npm', 'github-actions'])
    if (!(config?.updates ?? []).some((update) => update['package-ecosystem'] === name))
      problems.push(`${name} is not updated`)
  return problems
}

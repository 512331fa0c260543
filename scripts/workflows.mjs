/**
 * Checks the files that GitHub reads: the workflows of this repository and of the `create-jetway` templates,
 * the issue forms, the labels and the dependency updates. Prints the problems, and exits with code 1 if there
 * are any. Arguments name other folders that contain `.github/workflows`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { checkDependabot, checkForm, checkLabels } from './workflows/forms.mjs'
import { lintWorkflow } from './workflows/lint.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const json = (path) => JSON.parse(readFileSync(path, 'utf8'))
const yamlFiles = (folder) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)) : []

const { actions } = json(join(root, 'scripts', 'actions.json'))
const artefacts = readdirSync(join(root, 'scripts', 'release'))

/** The folders of all projects that have workflows. */
function projects() {
  if (argv.length > 2) return argv.slice(2)
  const templates = join(root, 'packages', 'create-jetway', 'templates')
  const names = existsSync(templates) ? readdirSync(templates) : []
  return [root, ...names.map((name) => join(templates, name))]
}

/** Returns the scripts in a project's `package.json`, and in that of the template that it extends. */
function scriptsOf(project) {
  const files = [join(project, 'package.json'), join(dirname(project), 'base', 'package.json')]
  return files.filter((file) => existsSync(file)).flatMap((file) => Object.keys(json(file).scripts ?? {}))
}

const problems = []
let checked = 0
function add(file, found) {
  checked += 1
  problems.push(...found.map((problem) => `${relative(root, file)}: ${problem}`))
}

for (const project of projects()) {
  const folder = join(project, '.github', 'workflows')
  const around = {
    actions,
    artefacts,
    scripts: scriptsOf(project),
    exists: (path) => existsSync(join(project, path)),
  }
  for (const name of yamlFiles(folder)) {
    const file = join(folder, name)
    add(file, await lintWorkflow(basename(file), readFileSync(file, 'utf8'), around))
  }
  const labelsFile = join(project, '.github', 'labels.json')
  if (!existsSync(labelsFile)) continue
  const labels = json(labelsFile)
  const names = labels.map((label) => label.name)
  add(labelsFile, checkLabels(labels))
  const forms = join(project, '.github', 'ISSUE_TEMPLATE')
  for (const name of yamlFiles(forms).filter((form) => form !== 'config.yml'))
    add(join(forms, name), checkForm(parse(readFileSync(join(forms, name), 'utf8')), names))
  const updates = join(project, '.github', 'dependabot.yml')
  add(updates, checkDependabot(parse(readFileSync(updates, 'utf8')), names))
}
for (const problem of problems) console.error(`✗ ${problem}`)
console.log(`${checked} files checked, ${problems.length} problems`)
if (problems.length > 0 || checked === 0) process.exitCode = 1

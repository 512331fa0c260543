/** Writes the facts of the project into the packages' manifests and into the licence. */
const COMMON = ['mcp', 'model-context-protocol']

/** Additional keywords for searches on npm, keyed by the package's folder. */
const KEYWORDS = {
  auth: ['oauth', 'authorization', 'dpop'],
  bridge: ['ai-sdk', 'openai', 'anthropic', 'tools'],
  compose: ['mcp-server', 'composition', 'proxy'],
  cli: ['cli', 'inspector', 'developer-tools'],
  client: ['mcp-client', 'agent'],
  core: ['mcp-server', 'server', 'agent', 'tools'],
  'create-jetway': ['mcp-server', 'create', 'template', 'starter'],
  fastify: ['mcp-server', 'fastify', 'fastify-plugin'],
  hono: ['mcp-server', 'hono', 'middleware', 'edge'],
  jetway: ['cli', 'jetway'],
  'json-schema': ['json-schema', 'validator'],
  node: ['mcp-server', 'express', 'connect', 'koa', 'middleware'],
  openapi: ['openapi', 'swagger', 'tools'],
  otel: ['opentelemetry', 'tracing', 'metrics'],
  redis: ['redis', 'valkey', 'sessions'],
  skills: ['agent-skills', 'skills'],
  stdio: ['mcp-server', 'stdio'],
  testing: ['testing', 'vitest', 'conformance'],
  zod3: ['zod', 'zod3', 'schema'],
}

/** The properties that this script writes after `description`, in the order of npm's documentation. */
const WRITTEN = ['keywords', 'homepage', 'bugs', 'license', 'author', 'repository']

/**
 * @param {string} text a `package.json`
 * @param {string} folder the package's folder, such as `packages/core`
 * @param {Record<string, any>} facts
 * @returns {string} the manifest with the facts; properties for undecided facts are omitted
 */
export function updateManifest(text, folder, facts) {
  const manifest = JSON.parse(text)
  const { repository, homepage, copyright } = facts
  const written = {
    keywords: [...COMMON, ...(KEYWORDS[folder.split('/').at(-1)] ?? [])].toSorted(byText),
    homepage: homepage ?? undefined,
    bugs: repository === null ? undefined : `${repository}/issues`,
    license: manifest.license,
    author: copyright ?? undefined,
    repository:
      repository === null ? undefined : { type: 'git', url: `git+${repository}.git`, directory: folder },
  }
  const others = Object.entries(manifest).filter(([name]) => !WRITTEN.includes(name))
  const at = others.findIndex(([name]) => name === 'description') + 1
  const entries = [...others.slice(0, at), ...Object.entries(written), ...others.slice(at)]
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

const byText = (a, b) => (a < b ? -1 : 1)

/** @param {string} text the licence @param {Record<string, any>} facts */
export function updateLicense(text, { copyright }) {
  return copyright === null ? text : text.replace(/^(Copyright \(c\) \d+) .+$/m, `$1 ${copyright}`)
}

import type { Step } from './official-client.ts'

const call = (name: string, args: object = {}, replies?: Step['replies']): Step => ({
  method: 'tools/call',
  params: { name, arguments: args },
  ...(replies !== undefined && { replies }),
})
const read = (uri: string): Step => ({ method: 'resources/read', params: { uri } })
const prompt = (name: string, args?: object): Step => ({
  method: 'prompts/get',
  params: { name, ...(args !== undefined && { arguments: args }) },
})
const complete = (ref: object, name: string, value: string, known?: object): Step => ({
  method: 'completion/complete',
  params: {
    ref,
    argument: { name, value },
    ...(known !== undefined && { context: { arguments: known } }),
  },
})
const elicited = (action: string, content?: object) => ({
  'elicitation/create': { action, ...(content !== undefined && { content }) },
})
const listed = (...roots: readonly object[]) => ({ 'roots/list': { roots } })

const documents = [
  'architecture',
  'extension',
  'features',
  'how-it-works',
  'instructions',
  'startup',
  'structure',
]
const text = 'demo://resource/dynamic/text'
const blob = 'demo://resource/dynamic/blob'
const template = (uri: string) => ({ type: 'ref/resource', uri: `${uri}/{resourceId}` })
const team = { type: 'ref/prompt', name: 'completable-prompt' }
const embedding = { type: 'ref/prompt', name: 'resource-prompt' }
const url = 'https://example.com/consent'
const gzip = (args: object) => call('gzip-file-as-resource', { data: 'data:text/plain,hello', ...args })
const sampled = {
  model: 'a-model',
  stopReason: 'endTurn',
  role: 'assistant',
  content: { type: 'text', text: 'Because' },
}

/** Returns a step in which the client runs the request as a task. */
const asTask = (method: string, status: string, result: Readonly<Record<string, unknown>> = {}) => ({
  [method]: {
    task: { taskId: 'a-task', status: 'working', ttl: 60_000, createdAt: NOW, lastUpdatedAt: NOW },
  },
  'tasks/get': {
    taskId: 'a-task',
    status,
    statusMessage: 'So it is',
    ttl: 60_000,
    createdAt: NOW,
    lastUpdatedAt: NOW,
  },
  'tasks/result': result,
})
const NOW = '2026-01-01T00:00:00Z'

const TOOLS: readonly Step[] = [
  call('echo', { message: 'hello' }),
  call('echo', { message: '' }),
  call('echo', { message: 'hello', more: 1 }),
  call('echo'),
  call('echo', { message: 5 }),
  call('get-annotated-message', { messageType: 'error' }),
  call('get-annotated-message', { messageType: 'success', includeImage: false }),
  call('get-annotated-message', { messageType: 'debug', includeImage: true }),
  call('get-annotated-message'),
  call('get-annotated-message', { messageType: 'warning' }),
  call('get-annotated-message', { messageType: 'error', includeImage: 'yes' }),
  call('get-env'),
  call('get-env', { more: 1 }),
  call('get-resource-links'),
  call('get-resource-links', { count: 1 }),
  call('get-resource-links', { count: 10 }),
  call('get-resource-links', { count: 2.5 }),
  call('get-resource-links', { count: 0 }),
  call('get-resource-links', { count: 11 }),
  call('get-resource-links', { count: '3' }),
  call('get-resource-reference'),
  call('get-resource-reference', { resourceType: 'Text', resourceId: 7 }),
  call('get-resource-reference', { resourceType: 'Blob', resourceId: 8 }),
  call('get-resource-reference', { resourceType: 'Image' }),
  call('get-resource-reference', { resourceId: 0 }),
  call('get-resource-reference', { resourceId: -1 }),
  call('get-resource-reference', { resourceId: 1.5 }),
  call('get-resource-reference', { resourceId: 'x' }),
  call('get-structured-content', { location: 'New York' }),
  call('get-structured-content', { location: 'Chicago' }),
  call('get-structured-content', { location: 'Los Angeles' }),
  call('get-structured-content', { location: 'Rome' }),
  call('get-structured-content'),
  call('get-sum', { a: 2, b: 40 }),
  call('get-sum', { a: 0.1, b: -0.2 }),
  call('get-sum', { a: 1 }),
  call('get-sum', { a: '1', b: 2 }),
  call('get-tiny-image'),
  gzip({ name: 'hello.gz', outputType: 'resource' }),
  gzip({ name: 'link.gz' }),
  gzip({ name: 'link.gz', data: 'data:text/plain,again' }),
  read('demo://resource/session/link.gz'),
  read('demo://resource/session/hello.gz'),
  gzip({ name: 'a.gz', data: 'ftp://example.com/a' }),
  gzip({ data: 'no address' }),
  gzip({ outputType: 'file' }),
  { method: 'resources/list' },
  call('trigger-long-running-operation', { duration: 0.03, steps: 3 }),
  call('trigger-long-running-operation', { duration: 0, steps: 0 }),
  call('trigger-long-running-operation', { duration: 'long' }),
  call('no-such-tool'),
]

const SAMPLING = 'sampling/createMessage'
const ELICITATION = 'elicitation/create'
const filledIn = { action: 'accept', content: { name: 'Ann', favoriteColor: 'Blue', agreeToTerms: false } }

/** The members are in the same order as in the original's output. */
const directlySampled = {
  role: 'assistant',
  content: sampled.content,
  model: 'a-model',
  stopReason: 'endTurn',
}

const CLIENT_TASKS: readonly Step[] = [
  call('trigger-sampling-request-async', { prompt: 'Why?' }, { [SAMPLING]: directlySampled }),
  call(
    'trigger-sampling-request-async',
    { prompt: 'Why?', maxTokens: 7 },
    asTask(SAMPLING, 'completed', sampled),
  ),
  call('trigger-sampling-request-async', { prompt: 'Why?' }, asTask(SAMPLING, 'failed')),
  call('trigger-sampling-request-async'),
  call('trigger-elicitation-request-async', {}, { [ELICITATION]: { action: 'decline' } }),
  call('trigger-elicitation-request-async', {}, asTask(ELICITATION, 'completed', filledIn)),
  call('trigger-elicitation-request-async', {}, asTask(ELICITATION, 'completed', { action: 'cancel' })),
  call('trigger-elicitation-request-async', {}, asTask(ELICITATION, 'cancelled')),
]

const ASKING_TOOLS: readonly Step[] = [
  call('get-roots-list', {}, listed()),
  call('trigger-sampling-request', { prompt: 'Why?' }, { 'sampling/createMessage': sampled }),
  call('trigger-sampling-request', { prompt: 'Why?', maxTokens: 7 }, { 'sampling/createMessage': sampled }),
  call('trigger-sampling-request', { prompt: 'Why?' }, { 'sampling/createMessage': { role: 'assistant' } }),
  call('trigger-sampling-request', { prompt: 'Why?' }),
  call('trigger-sampling-request'),
  call('trigger-elicitation-request', {}, elicited('accept', { name: 'Ann' })),
  call(
    'trigger-elicitation-request',
    {},
    elicited('accept', {
      name: 'Ann',
      check: true,
      firstLine: 'Call me Ishmael.',
      email: 'ann@example.com',
      homepage: 'https://example.com',
      birthdate: '2000-01-31',
      integer: 7,
      number: 2.5,
      untitledSingleSelectEnum: 'Joey',
      untitledMultipleSelectEnum: ['Bass', 'Drums'],
      titledSingleSelectEnum: 'hero-2',
      titledMultipleSelectEnum: ['fish-3'],
      legacyTitledEnum: 'pet-4',
    }),
  ),
  call('trigger-elicitation-request', {}, elicited('decline')),
  call('trigger-elicitation-request', {}, elicited('cancel')),
  call('trigger-elicitation-request'),
  call('trigger-url-elicitation', { url }, elicited('accept')),
  call('trigger-url-elicitation', { url, message: 'Please agree' }, elicited('decline')),
  call('trigger-url-elicitation', { url, elicitationId: 'mine' }, elicited('cancel')),
  call('trigger-url-elicitation', { url, errorPath: true }, elicited('accept')),
  call('trigger-url-elicitation', { url, errorPath: true }, elicited('accept')),
  call('trigger-url-elicitation', { url: 'no address' }),
  ...CLIENT_TASKS,
  call('trigger-url-elicitation'),
]

const RESOURCES: readonly Step[] = [
  { method: 'resources/templates/list' },
  ...documents.map((name) => read(`demo://resource/static/document/${name}.md`)),
  read(`${text}/1`),
  read(`${text}/12345`),
  read(`${blob}/2`),
  read(`${text}/0`),
  read(`${text}/-1`),
  read(`${blob}/x`),
  read('demo://resource/static/document/missing.md'),
  read('other://resource'),
  complete(template(text), 'resourceId', '12'),
  complete(template(blob), 'resourceId', '-1'),
  complete(template(blob), 'resourceId', 'x'),
  complete(template('demo://other'), 'resourceId', '1'),
  { method: 'resources/subscribe', params: { uri: `${text}/1` } },
  { method: 'resources/subscribe', params: { uri: 'demo://resource/static/document/features.md' } },
  call('toggle-subscriber-updates'),
  call('toggle-subscriber-updates'),
  { method: 'resources/unsubscribe', params: { uri: `${text}/1` } },
  call('toggle-subscriber-updates'),
  call('toggle-subscriber-updates'),
  { method: 'resources/unsubscribe', params: { uri: 'demo://never' } },
  { method: 'resources/subscribe', params: { uri: 'demo://nothing' } },
]

const PROMPTS: readonly Step[] = [
  { method: 'prompts/list' },
  prompt('simple-prompt'),
  prompt('args-prompt', { city: 'Rome' }),
  prompt('args-prompt', { city: 'Austin', state: 'Texas' }),
  prompt('args-prompt', { state: 'Texas' }),
  prompt('args-prompt'),
  prompt('completable-prompt', { department: 'Sales', name: 'Eve' }),
  prompt('completable-prompt', { department: 'Sales' }),
  prompt('resource-prompt', { resourceType: 'Text', resourceId: '3' }),
  prompt('resource-prompt', { resourceType: 'Blob', resourceId: '4' }),
  prompt('resource-prompt', { resourceType: 'Image', resourceId: '4' }),
  prompt('resource-prompt', { resourceType: 'Text', resourceId: '0' }),
  prompt('resource-prompt', { resourceType: 'Text', resourceId: 'x' }),
  prompt('resource-prompt'),
  prompt('no-such-prompt'),
  complete(team, 'department', ''),
  complete(team, 'department', 'S'),
  complete(team, 'name', '', { department: 'Engineering' }),
  complete(team, 'name', 'J', { department: 'Support' }),
  complete(team, 'name', '', { department: 'Other' }),
  complete(team, 'name', ''),
  complete(embedding, 'resourceType', 'T'),
  complete(embedding, 'resourceId', '5'),
  complete(embedding, 'resourceId', '0'),
  complete({ type: 'ref/prompt', name: 'args-prompt' }, 'city', 'R'),
  complete({ type: 'ref/prompt', name: 'no-such-prompt' }, 'city', 'R'),
]

/**
 * Steps for every tool with valid, missing and invalid arguments, and for every resource, template, prompt and completion.
 */
export const EVERYTHING_STEPS: readonly Step[] = [
  { method: 'ping' },
  { method: 'tools/list' },
  { method: 'resources/list' },
  ...TOOLS,
  ...ASKING_TOOLS,
  ...RESOURCES,
  ...PROMPTS,
]

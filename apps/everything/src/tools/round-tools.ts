import { asks, elicit, inputRequired, listRoots, type McpServer, type Question, sample } from '@jetway/core'
import { z } from 'zod'

/** Tools that ask questions in rounds. In 2026-07-28, the result of such a call contains its questions. */
export function addRoundTools(server: McpServer): void {
  addSingleQuestions(server)
  addSeveralQuestions(server)
  addGuardedQuestions(server)
  addOtherQuestions(server)
}

const NAME = z.object({ name: z.string() })
const OK = z.object({ ok: z.boolean() })

const toModel = (text: string, maxTokens: number): ReturnType<typeof sample> =>
  sample({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens })

function addSingleQuestions(server: McpServer): void {
  server.addTool({
    name: 'test_input_required_result_elicitation',
    description: 'Asks a person for a name',
    asks: { user_name: () => elicit('What is your name?', NAME) },
    handler: (_args, { answers }) => `Hello, ${answers.user_name.name}!`,
  })
  server.addTool({
    name: 'test_input_required_result_sampling',
    description: "Asks the client's model for a capital",
    asks: { capital_question: () => toModel('What is the capital of France?', 100) },
    handler: (_args, { answers }) => said(answers.capital_question),
  })
  server.addTool({
    name: 'test_input_required_result_list_roots',
    description: 'Asks the client where it works',
    asks: { client_roots: () => listRoots() },
    handler: (_args, { answers }) => answers.client_roots.map(({ uri, name = '' }) => `${name} ${uri}`),
  })
}

function addSeveralQuestions(server: McpServer): void {
  server.addTool({
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks a person, a model and the client at once',
    asks: {
      user_name: () => elicit('What is your name?', NAME),
      greeting: () => toModel('Generate a greeting', 50),
      client_roots: () => listRoots(),
    },
    handler: (_args, { answers: { user_name, greeting, client_roots } }) =>
      `${said(greeting)} ${user_name.name}, you have ${client_roots.length} roots`,
  })
  server.addTool({
    name: 'test_input_required_result_multi_round',
    description: 'Asks two things, one after the other',
    asks: asks()
      .ask('step1', () => elicit('Step 1: What is your name?', NAME))
      .ask('step2', (_args, { answers }) => {
        const { name } = answers.step1
        return elicit(`Step 2: What is your favorite color, ${name}?`, z.object({ color: z.string() }))
      }),
    handler: (_args, { answers: { step1, step2 } }) => `${step1.name} likes ${step2.color}`,
  })
}

function addGuardedQuestions(server: McpServer): void {
  server.addTool({
    name: 'test_input_required_result_request_state',
    description: 'Keeps state between its questions',
    handler: (_args, { inputs }) => {
      const answer = inputs.get('confirm', OK)
      if (answer === undefined)
        return inputRequired({ confirm: elicit('Please confirm', OK) }, { state: 'state-ok' })
      return `${inputs.state} ${answer.ok}`
    },
  })
  server.addTool({
    name: 'test_input_required_result_tampered_state',
    description: 'Asks for a confirmation that nobody can forge',
    asks: { confirm: () => elicit('Please confirm', OK) },
    handler: (_args, { answers }) => `Confirmed: ${answers.confirm.ok}`,
  })
  server.addTool({
    name: 'test_input_required_result_capabilities',
    description: 'Asks a person, or a model where the client has no persons',
    asks: {
      opinion: (_args, { client }): Question =>
        client.supports('elicitation') ? elicit('Your opinion?', NAME) : toModel('Your opinion?', 50),
    },
    handler: (_args, { answers }) => JSON.stringify(answers.opinion),
  })
}

function addOtherQuestions(server: McpServer): void {
  const CONTEXT = z.object({ context: z.string() })
  server.addPrompt({
    name: 'test_input_required_result_prompt',
    description: 'Asks a person for its context',
    handler: (_args, { inputs }) => {
      const answer = inputs.get('user_context', CONTEXT)
      if (answer !== undefined) return `Consider this: ${answer.context}`
      return inputRequired({ user_context: elicit('What context should the prompt use?', CONTEXT) })
    },
  })
  server.addResource({
    uri: 'test://asks-first',
    name: 'asks-first',
    description: 'Asks a person for a name before it is read',
    handler: (_args, { inputs }) => {
      const answer = inputs.get('user_name', NAME)
      return answer?.name ?? inputRequired({ user_name: elicit('What is your name?', NAME) })
    },
  })
}

function said({ content }: { readonly content: object }): string {
  const [block] = [content].flat() as readonly { readonly text?: string }[]
  return block?.text ?? ''
}

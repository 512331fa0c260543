import { defineTool, elicit } from '@jetway/core'
import { ACTS } from '../tools/hints.ts'
import { FORM } from './elicitation-form.ts'

const SHOWN = [
  ['name', 'Name'],
  ['check', 'Agreed to terms'],
  ['color', 'Favorite Color'],
  ['email', 'Email'],
  ['homepage', 'Homepage'],
  ['birthdate', 'Birthdate'],
  ['integer', 'Favorite Integer'],
  ['number', 'Favorite Number'],
  ['petType', 'Pet Type'],
] as const

const OUTCOMES = {
  accept: '✅ User provided the requested information!',
  decline: '❌ User declined to provide the requested information.',
  cancel: '⚠️ User cancelled the elicitation dialog.',
}

export const triggerElicitationRequest = defineTool({
  name: 'trigger-elicitation-request',
  title: 'Trigger Elicitation Request Tool',
  description: 'Trigger a Request from the Server for User Elicitation',
  annotations: ACTS,
  visible: ({ client }) => client.supports('elicitation'),
  asks: {
    user: () => elicit('Please provide inputs for the following fields:', FORM, { declined: 'see' }),
  },
  handler(_args, { answers: { user } }) {
    const lines = user.action === 'accept' ? linesOf({ ...user.content }) : undefined
    const texts = [
      OUTCOMES[user.action],
      ...(lines === undefined ? [] : [`User inputs:\n${lines.join('\n')}`]),
      `\nRaw result: ${JSON.stringify(user, null, 2)}`,
    ]
    return { content: texts.map((text) => ({ type: 'text', text }) as const) }
  },
})

const linesOf = (content: Readonly<Record<string, unknown>>) =>
  SHOWN.filter(([field]) => content[field] !== undefined && content[field] !== '').map(
    ([field, label]) => `- ${label}: ${String(content[field])}`,
  )

import { content, type McpServer, message, messages } from '@jetway/core'
import { z } from 'zod'
import { PNG } from './media.ts'

const GREETINGS = ['hello', 'hey', 'hi', 'howdy']

export function addPrompts(server: McpServer): void {
  server.addPrompt({
    name: 'test_simple_prompt',
    title: 'Simple prompt',
    description: 'One message, without arguments',
    handler: () => 'This is a simple prompt for testing.',
  })
  server.addPrompt({
    name: 'test_prompt_with_arguments',
    title: 'Prompt with arguments',
    description: 'One message, made from two arguments',
    argsSchema: z.object({
      arg1: z.string().describe('First test argument'),
      arg2: z.string().describe('Second test argument'),
    }),
    complete: { arg1: (typed) => GREETINGS.filter((greeting) => greeting.startsWith(typed)) },
    handler: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  })
  server.addPrompt({
    name: 'test_prompt_with_embedded_resource',
    description: 'Two messages, the first of them a resource',
    argsSchema: z.object({ resourceUri: z.string().describe('Address of the resource to embed') }),
    handler: ({ resourceUri }) =>
      messages([
        message.user(
          content.resource({
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          }),
        ),
        message.user('Please process the embedded resource above.'),
      ]),
  })
  server.addPrompt({
    name: 'test_prompt_with_image',
    description: 'Two messages, the first of them an image',
    handler: () =>
      messages([
        message.user(content.image(PNG, 'image/png')),
        message.user('Please analyze the image above.'),
      ]),
  })
  server.addPrompt({
    name: 'conversation',
    description: 'A question and the beginning of an answer',
    handler: () => messages([message.user('Who are you?'), message.assistant('I am')]),
  })
}

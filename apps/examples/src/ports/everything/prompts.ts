import { definePrompt, ErrorCode, McpError } from '@jetway/core'
import { z } from 'zod'
import { completeId, completeType, contentsOf, problemOf, type ResourceType } from './dynamic-resources.ts'

const simple = definePrompt({
  name: 'simple-prompt',
  title: 'Simple Prompt',
  description: 'A prompt with no arguments',
  handler: () => ({
    messages: [
      { role: 'user', content: { type: 'text', text: 'This is a simple prompt without arguments.' } },
    ],
  }),
})

const withArguments = definePrompt({
  name: 'args-prompt',
  title: 'Arguments Prompt',
  description: 'A prompt with two arguments, one required and one optional',
  argsSchema: z.object({
    city: z.string().describe('Name of the city'),
    state: z.string().describe('Name of the state').optional(),
  }),
  handler({ city, state }) {
    const place = state ? `${city}, ${state}` : city
    return {
      messages: [{ role: 'user', content: { type: 'text', text: `What's weather in ${place}?` } }],
    }
  },
})

const TEAMS: Readonly<Record<string, readonly string[]>> = {
  Engineering: ['Alice', 'Bob', 'Charlie'],
  Sales: ['David', 'Eve', 'Frank'],
  Marketing: ['Grace', 'Henry', 'Iris'],
  Support: ['John', 'Kim', 'Lee'],
}

const completable = definePrompt({
  name: 'completable-prompt',
  title: 'Team Management',
  description: 'First argument choice narrows values for second argument.',
  argsSchema: z.object({
    department: z.string().describe('Choose the department.'),
    name: z.string().describe('Choose a team member to lead the selected department.'),
  }),
  complete: {
    department: (value) => Object.keys(TEAMS).filter((team) => team.startsWith(value)),
    name: (value, _ctx, { arguments: { department = '' } }) =>
      (TEAMS[department] ?? []).filter((name) => name.startsWith(value)),
  },
  handler: ({ department, name }) => ({
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `Please promote ${name} to the head of the ${department} team.` },
      },
    ],
  }),
})

const embedded = definePrompt({
  name: 'resource-prompt',
  title: 'Resource Prompt',
  description: 'A prompt that includes an embedded resource reference',
  argsSchema: z.object({
    resourceType: z.string().describe('Type of resource to fetch'),
    resourceId: z.string().describe('ID of the text resource to fetch'),
  }),
  complete: { resourceType: completeType, resourceId: completeId },
  handler({ resourceType, resourceId }) {
    const problem = problemOf(resourceType, resourceId)
    if (problem !== undefined) throw new McpError(ErrorCode.InternalError, problem)
    const id = Number(resourceId)
    const text = `This prompt includes the ${resourceType} resource with id: ${id}. Please analyze the following resource:`
    return {
      messages: [
        { role: 'user', content: { type: 'text', text } },
        {
          role: 'user',
          content: { type: 'resource', resource: contentsOf(resourceType as ResourceType, id) },
        },
      ],
    }
  },
})

export const prompts = [simple, withArguments, completable, embedded]

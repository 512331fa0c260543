import { definePrompt, defineTool, McpServer } from '@jetway/core'
import { z } from 'zod'
import { js, type Mistake, type Row, thrown } from './mistake.ts'

const server = new McpServer({ name: 'mistakes', version: '1' })
const handler = (): string => 'done'

export const MEMBERS: readonly Mistake[] = thrown('a member of a definition', 'ERR_MCP_INVALID_DEFINITION', [
  [
    'that is spelt wrong',
    () => server.addTool(js({ name: 'a', desciption: 'x', handler })),
    'The tool "a" has an unknown member "desciption": did you mean description?',
  ],
  [
    'in the spelling of the Anthropic API',
    () => server.addTool(js({ name: 'a', input_schema: {}, handler })),
    'The tool "a" has an unknown member "input_schema": did you mean inputSchema?',
  ],
  ...['parameters', 'input', 'schema', 'args', 'argsSchema'].map((name): Row => [
    `of a tool that is ${name} elsewhere`,
    () => server.add(defineTool(js({ name: 'a', [name]: z.object({}), handler }))),
    `The tool "a" has an unknown member "${name}": in Jetway its name is inputSchema`,
  ]),
  ...['execute', 'run', 'callback', 'cb', 'fn', 'func', 'load', 'read'].map((name): Row => [
    `of a tool that is ${name} elsewhere`,
    () => server.setTools([js({ name: 'a', [name]: handler })]),
    `The tool "a" has an unknown member "${name}": in Jetway its name is handler`,
  ]),
  [
    'of a prompt that is named as in tools',
    () => server.add(definePrompt(js({ name: 'p', inputSchema: z.object({}), handler }))),
    'The prompt "p" has an unknown member "inputSchema": in Jetway its name is argsSchema',
  ],
  [
    'of a resource that is url elsewhere',
    () => server.addResource(js({ url: 'a://b', name: 'r', handler })),
    'The resource "r" has an unknown member "url": did you mean uri?',
  ],
  [
    'of a resource template that is load elsewhere',
    () => server.addResourceTemplate(js({ uriTemplate: 'a://{b}', name: 'r', load: handler })),
    'The resource template "a://{b}" has an unknown member "load": in Jetway its name is handler',
  ],
  [
    'of a resource that is a template: uriTemplate',
    () => server.addResource(js({ uriTemplate: 'note://{id}', name: 'r', handler })),
    'The resource "note://{id}" is a URI template: register it with addResourceTemplate, as uriTemplate',
  ],
  [
    'of a resource that is a template: braces in uri',
    () => server.addResource(js({ uri: 'note://{id}', name: 'r', handler })),
    'The resource "note://{id}" is a URI template: register it with addResourceTemplate, as uriTemplate',
  ],
  [
    'that is missing, because the name comes first as in the official SDK',
    () => server.addTool(js('a'), js({})),
    'A tool is defined by one object with its name and its handler, not by string',
  ],
])

import type { PositiveTestCase, TestCase } from '../../project/jetway-json.ts'
import { REASONS } from './chatgpt.ts'
import type { Facts } from './facts.ts'
import { type Hint, hintOf } from './tool-rules.ts'

/**
 * Creates the file that OpenAI's submission form imports. Unknown values are omitted, because the form asks
 * for them.
 *
 * @see https://developers.openai.com/plugins/schemas/chatgpt-app-submission.v1.json
 */
export function submissionOf({ title, tools, jetwayJson }: Facts): object {
  const { shortDescription, longDescription, category, testCases = {} } = jetwayJson
  const info = Object.entries({
    display_name: title,
    subtitle: shortDescription,
    description: longDescription,
    category,
  }).filter(([, value]) => value !== undefined)
  return {
    $schema: 'https://developers.openai.com/plugins/schemas/chatgpt-app-submission.v1.json',
    schema_version: 1,
    ...(info.length > 0 && { app_info: Object.fromEntries(info) }),
    tools: Object.fromEntries(
      tools.map((tool) => {
        const reasons = jetwayJson.tools?.[tool.name] ?? {}
        const hint = (name: Hint): boolean | null => hintOf(tool, name) ?? null
        return [
          tool.name,
          {
            annotations: {
              readOnlyHint: hint('readOnlyHint'),
              openWorldHint: hint('openWorldHint'),
              destructiveHint: hint('destructiveHint'),
            },
            justifications: {
              read_only_justification: reasons[REASONS.readOnlyHint] ?? null,
              open_world_justification: reasons[REASONS.openWorldHint] ?? null,
              destructive_justification: reasons[REASONS.destructiveHint] ?? null,
            },
          },
        ]
      }),
    ),
    ...(testCases.positive !== undefined && { test_cases: testCases.positive.map(positive) }),
    ...(testCases.negative !== undefined && {
      negative_test_cases: testCases.negative.map((each) => ({ ...common(each), tools_triggered: null })),
    }),
  }
}

const positive = ({ tools, ...rest }: PositiveTestCase): object => ({
  ...common(rest),
  tools_triggered: tools.join(', '),
})

const common = ({ description, prompt, expected }: TestCase): object => ({
  description,
  user_prompt: prompt,
  file_attachment_urls: null,
  expected_output: expected,
  expected_output_url: null,
})

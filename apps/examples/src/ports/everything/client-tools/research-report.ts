export const STAGES = [
  'Gathering sources',
  'Analyzing content',
  'Synthesizing findings',
  'Generating report',
] as const

/** Returns a report that explains tasks to its reader. */
export function reportOn(topic: string, clarification: string | undefined): string {
  const isClarified = clarification !== undefined
  const title = isClarified ? `${topic} (${clarification})` : topic
  return `# Research Report: ${title}

## Research Parameters
- **Topic**: ${topic}
${isClarified ? `- **Clarification**: ${clarification}` : ''}

## Synthesis
This research query was processed through ${STAGES.length} stages:
${STAGES.map((stage, index) => `- Stage ${index + 1}: ${stage} ✓`).join('\n')}

---

## About This Demo (SEP-1686: Tasks)

This tool demonstrates MCP's task-based execution pattern for long-running operations:

**Task Lifecycle Demonstrated:**
1. \`tools/call\` with \`task\` parameter → Server returns \`CreateTaskResult\` (not the final result)
2. Client polls \`tasks/get\` → Server returns current status and \`statusMessage\`
3. Status progressed: \`working\` → ${isClarified ? '`input_required` → `working` → ' : ''}\`completed\`
4. Client calls \`tasks/result\` → Server returns this final result

${isClarified ? flowOf(clarification) : ''}
**Key Concepts:**
- Tasks enable "call now, fetch later" patterns
- \`statusMessage\` provides human-readable progress updates
- Tasks have TTL (time-to-live) for automatic cleanup
- \`pollInterval\` suggests how often to check status
- Elicitation requests use \`relatedTask\` to queue via tasks/result (works on all transports)

*This is a simulated research report from the Everything MCP Server.*
`
}

const flowOf = (clarification: string) => `**Elicitation Flow:**
When the query was ambiguous, the server sent an \`elicitation/create\` request
to the client. The task status changed to \`input_required\` while awaiting user input.
${
  clarification.includes('unavailable')
    ? '**Note:** Elicitation failed and a default interpretation was used.'
    : `After receiving clarification ("${clarification}"), the task resumed processing and completed.`
}
`

export {
  type AiSdkOptions,
  type AiSdkOutput,
  type AiSdkTool,
  aiSdkTools,
  type AiSdkVersion,
} from './ai-sdk.ts'
export {
  anthropicResult,
  type AnthropicResultContent,
  type AnthropicTool,
  type AnthropicToolResult,
  anthropicTools,
  type AnthropicTools,
} from './anthropic.ts'
export { type Bridge, bridgeAll, type BridgeOptions, type ToolRegistry } from './bridge-all.ts'
export { callToolText, ToolFailedError } from './call-tool-text.ts'
export { type HostToolResult, type ResultLimits, toHostResult } from './host-result.ts'
export { type HostTool, type HostToolMetadata, type HostToolOptions, hostTools } from './host-tool.ts'
export type { ApiTools, ModelToolsOptions, RunOptions } from './model-tools.ts'
export {
  openAiCallOutput,
  type OpenAiCallOutput,
  type OpenAiChatOptions,
  type OpenAiChatTool,
  type OpenAiChatTools,
  openAiChatTools,
  type OpenAiImagesMessage,
  type OpenAiOutputContent,
  type OpenAiResponsesTool,
  type OpenAiResponsesTools,
  openAiResponsesTools,
  openAiToolMessage,
  type OpenAiToolMessage,
  type OpenAiToolsOptions,
} from './openai.ts'
export type { HostPart } from './parts.ts'
export { withSingleTypes } from './single-types.ts'
export type { SourceEvent, SourceTool, Tools, ToolSource } from './source.ts'

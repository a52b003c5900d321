"use strict";

// The fields that services accept in messages, from the types of their packages; they refuse other fields, roles and
// parts. A test compares this with the types of `@anthropic-ai/sdk` 1.12 and `openai` 6.49; Gemini's are from
// `@google/genai` 1.52, Bedrock's from `@aws-sdk/client-bedrock-runtime`.

/** Splits texts into lists of names. */
const listed = (fields) => Object.fromEntries(Object.entries(fields).map(([name, names]) => [name, names.split(" ")]));

const OF_SERVER_CALL = "content tool_use_id type cache_control";
const ANTHROPIC = {
  key: "role",
  messages: listed({ user: "role content", assistant: "role content", system: "role content clear_at output_config" }),
  parts: listed({
    text: "type text cache_control citations",
    image: "type source cache_control transformations",
    document: "type source cache_control citations context title",
    search_result: "type content source title cache_control citations",
    thinking: "type thinking signature",
    redacted_thinking: "type data",
    tool_use: "type id name input cache_control caller toolset_name",
    tool_result: "type tool_use_id content is_error cache_control toolset_name",
    tool_reference: "type tool_name cache_control",
    browser_state: "type tabs cache_control state_changes",
    server_tool_use: "type id name input cache_control caller",
    web_search_tool_result: `${OF_SERVER_CALL} caller`,
    web_fetch_tool_result: `${OF_SERVER_CALL} caller`,
    advisor_tool_result: OF_SERVER_CALL,
    code_execution_tool_result: OF_SERVER_CALL,
    bash_code_execution_tool_result: OF_SERVER_CALL,
    text_editor_code_execution_tool_result: OF_SERVER_CALL,
    tool_search_tool_result: OF_SERVER_CALL,
    mcp_tool_use: "type id name input server_name cache_control",
    mcp_tool_result: "type tool_use_id content is_error cache_control",
    container_upload: "type file_id cache_control",
    compaction: "type content cache_control encrypted_content signature tool_changes",
    tool_addition: "type tool cache_control",
    tool_removal: "type tool cache_control",
    mcp_tool_listing: "type mcp_server_name tools",
    fallback: "type from to trigger",
  }),
  /** The field that marks the end of a cached part of the prompt, and the maximum number of such marks. */
  cacheMarks: { field: "cache_control", most: 4 },
};

const BREAKPOINT = "prompt_cache_breakpoint";
const CHAT = {
  key: "role",
  messages: listed({
    developer: "role content name",
    system: "role content name",
    user: "role content name",
    assistant: "role content name audio function_call refusal tool_calls",
    tool: "role content tool_call_id",
    function: "role content name",
  }),
  parts: listed({
    text: `type text ${BREAKPOINT}`,
    image_url: `type image_url ${BREAKPOINT}`,
    input_audio: `type input_audio ${BREAKPOINT}`,
    file: `type file ${BREAKPOINT}`,
    refusal: "type refusal",
  }),
};

const RESPONSES = {
  key: "type",
  messages: listed({
    message: "type role content id status phase",
    file_search_call: "type id queries status results",
    computer_call: "type id call_id pending_safety_checks status action actions",
    computer_call_output: "type id call_id output acknowledged_safety_checks status",
    web_search_call: "type id action status",
    function_call: "type id call_id name arguments caller namespace status",
    function_call_output: "type id call_id output caller status",
    tool_search_call: "type id call_id arguments execution status",
    tool_search_output: "type id call_id tools execution status",
    additional_tools: "type id role tools",
    reasoning: "type id summary content encrypted_content status",
    compaction: "type id encrypted_content",
    image_generation_call: "type id result status",
    code_interpreter_call: "type id code container_id outputs status",
    local_shell_call: "type id call_id action status",
    local_shell_call_output: "type id output status",
    shell_call: "type id call_id action caller environment status",
    shell_call_output: "type id call_id output caller max_output_length status",
    apply_patch_call: "type id call_id operation caller status",
    apply_patch_call_output: "type id call_id output caller status",
    mcp_list_tools: "type id server_label tools error",
    mcp_approval_request: "type id name arguments server_label",
    mcp_approval_response: "type id approval_request_id approve reason",
    mcp_call: "type id name arguments server_label approval_request_id error output status",
    custom_tool_call: "type id call_id name input caller namespace",
    custom_tool_call_output: "type id call_id output caller",
    compaction_trigger: "type",
    item_reference: "type id",
    program: "type id call_id code fingerprint",
    program_output: "type id call_id result status",
  }),
  parts: listed({
    input_text: `type text ${BREAKPOINT}`,
    input_image: `type detail file_id image_url ${BREAKPOINT}`,
    input_file: `type detail file_data file_id file_url filename ${BREAKPOINT}`,
    output_text: "type text annotations logprobs",
    refusal: "type refusal",
    summary_text: "type text",
    reasoning_text: "type text",
  }),
};

/** A part is recognised by its only field besides common ones. */
const GEMINI = {
  key: "role",
  messages: listed({ user: "role parts", model: "role parts", function: "role parts" }),
  part: "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse thought thoughtSignature videoMetadata mediaResolution partMetadata".split(
    " ",
  ),
};
const BEDROCK = {
  key: "role",
  messages: listed({ user: "role content", assistant: "role content" }),
  part: "text image document video audio toolUse toolResult guardContent cachePoint reasoningContent citationsContent searchResult toolAddition toolRemoval".split(
    " ",
  ),
  cacheMarks: { field: "cachePoint", most: 4 },
};

/**
 * By the format of their messages: `messages`, by `key`, the fields of each kind of message; `parts`, those of each
 * type of part, or `part`, the fields of any.
 */
module.exports = { anthropic: ANTHROPIC, "openai-chat": CHAT, "openai-responses": RESPONSES, gemini: GEMINI, "bedrock-converse": BEDROCK };

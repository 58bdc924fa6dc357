/**
 * The precise causes of every kind of refusal that is ambiguous by its kind alone, with their meanings. A reason is snake_case, names one
 * cause and is never renamed: programs compare it. For all other kinds the reason is the name of the kind.
 */
export const refusalReasons = {
  'not-found': {
    agent_not_found: 'No call of this agent is known.',
    approval_not_found: 'No approval has this id.',
    audit_event_not_found: 'No event has this id.',
    audit_record_not_found: 'The tenant has no record at this position of the log.',
    audit_scope_not_found: 'No call, case or checkpoint has this id.',
    blob_not_found: 'No blob has this digest.',
    call_not_found: 'No call has this id.',
    call_or_case_not_found: 'No call or case has this id.',
    case_has_no_calls: 'The case exists and has no calls.',
    checkpoint_not_found: 'No checkpoint has this size.',
    comparison_not_found: 'No comparison of rows with the log has this id, or it ended and was removed.',
    delegation_not_found: 'No delegation has this id.',
    fact_table_not_found: 'No fact table has this name.',
    grant_not_found: 'No standing approval has this id.',
    identity_provider_not_found: 'No identity provider has this id.',
    key_not_found: 'No API key has this id.',
    limit_not_found: 'No limit has this id.',
    mapping_not_found: 'The tool has no mapping.',
    mapping_version_not_found: 'The mapping has no such version.',
    page_not_found: 'The documentation has no such page or file.',
    person_link_not_found: 'No person link has this id.',
    personal_data_rule_not_found: 'No rule for personal data has this id.',
    policy_not_found: 'No published policy has this version.',
    principal_not_found: 'No recorded key or token names a principal with this id.',
    projection_not_found: 'No projection has this name.',
    provider_not_found: 'No tool of this provider has run.',
    route_not_found: 'The API has no route at this path.',
    run_not_found: 'The run has no calls.',
    saga_not_found: 'No saga has this id.',
    secret_not_found: 'No secret has this name.',
    tenant_not_found: 'No tenant has this id.',
    tile_not_found: 'No tile of the log tree has this path.',
    token_exchange_not_found: 'No token exchange has this name.',
    tool_policy_not_found: 'The tool has no policy row.',
    vote_delegation_not_found: 'No delegation of votes has this id.',
    webhook_not_found: 'No webhook has this id.',
  },
  'unknown-tool': { tool_not_found: 'No tool has this name.' },
  'unknown-case': { case_not_found: 'No case has this id or `external_id`.' },
  'unknown-version': { tool_version_not_found: 'The tool has no such version.' },
  conflict: {
    billing_period_open: 'The month is not closed yet.',
    call_already_ended: 'The call has ended.',
    call_already_undone: 'The effect of the call is already undone.',
    call_had_no_effect: 'The call changed nothing.',
    call_in_doubt: 'The outcome of the call is unknown: resolve it.',
    call_not_ended: 'The call has no outcome yet.',
    call_not_in_doubt: 'Only a call in doubt can be resolved.',
    case_closed: 'The case is closed.',
    changed_concurrently: 'Another request changed the resource at the same time.',
    cosignature_refused: 'The cosignature does not fit the checkpoint.',
    damage_not_open: 'The damage is unknown or already accepted.',
    effect_of_another_call: 'An earlier call answered this one and has the effect.',
    fact_table_limit_reached: 'The tenant has reached its maximum of fact tables.',
    id_too_similar: 'The id looks like another one.',
    identity_provider_conflict: 'Another identity provider has this issuer and audience.',
    later_effects: 'Later effects on the same resources are not part of the undo.',
    log_drop_refused: 'The log cannot be truncated at this position.',
    mapping_not_pending: 'The version of the mapping is not waiting for activation.',
    mapping_superseded: 'A newer version of the mapping is in force.',
    not_cosigned: 'The witnesses have not cosigned this.',
    other_policy_admins_exist: 'The setting is allowed only while the tenant has one policy admin.',
    person_link_limit_reached: 'The tenant has reached its maximum of person links.',
    policy_never_activated: 'No policy was active before.',
    policy_version_taken: 'The version is already published with other rules.',
    proof_broken: 'The stored hashes do not prove the record.',
    run_seq_taken: 'This `run_id` and `seq` name a call of another principal.',
    subject_erased: 'The personal data of the call was erased.',
    tenant_already_exists: 'Another tenant has this id.',
    tenant_lane_fixed: 'The lane of a tenant cannot change.',
    tool_changed: 'The tool changed after the call was made.',
    tool_contract_changed: 'Another contract of the tool is registered now.',
    tool_schema_unusable: 'The input schema of the tool cannot be compiled.',
    undo_denied: 'Policy forbids the undo.',
    undo_not_editable: 'The inputs of an undo are those of the effect and cannot be edited.',
    undo_preview_changed: 'The undo would now differ from its preview.',
    webhook_test_running: 'A test of a channel of this tenant is running.',
  },
  'not-undoable': {
    irreversible: 'The effects of the tool cannot be undone.',
    nothing_to_undo: 'No call of the selection can be undone.',
    tool_cannot_undo: 'The tool has no undo; another call may reverse its effect.',
    tool_not_available: 'No executor runs this version of the tool.',
    undo_of_undo: 'An undo cannot be undone.',
  },
  'late-vote': { approval_already_decided: 'The approval was decided, expired or cancelled.' },
  'precondition-failed': { etag_mismatch: 'The ETag of the request is not the current one.' },
  forbidden: {
    decision_link_expired: 'The decision link has expired.',
    decision_link_invalid: 'The decision link was not made by this installation, or was changed.',
    decision_link_revoked: 'The channel or the person of the decision link may no longer decide.',
    default_tenant_required: 'Only the default tenant may do this.',
    delegation_missing: 'No active delegation lets the agent act for the user.',
    not_the_owner: 'Only the person who created the resource, or an admin, may end it.',
    own_tool: 'A provider may not rate its own tools.',
    role_missing: 'The key or token lacks the role.',
    second_person_required: 'A second person has to do this (four eyes).',
    tenant_unknown: 'The tenant of the token does not exist.',
    tool_not_used: 'Only a principal that used the tool may rate it.',
    user_required: 'Only a person may do this, not an agent or a service.',
  },
  unavailable: {
    answer_unreadable: 'The call is recorded; its answer cannot be read now.',
    checkpoint_pending: 'No checkpoint covers the record yet.',
    cosignature_pending: 'The witnesses have not cosigned yet.',
    keys_stale: 'The list of revoked keys in the gateway is stale.',
    record_unconfirmed: 'The request may not be recorded; send it again: an equal request runs only once.',
    seal_unavailable: 'Personal data cannot be sealed now.',
    store_unavailable: 'The log or the store is unavailable.',
    too_many_case_streams: 'The gateway has too many case streams open.',
    too_many_gateway_streams: 'The gateway has too many event streams open.',
    views_behind: 'The views have not caught up with the log.',
    views_rebuilding: 'The views are being rebuilt.',
  },
  erased: {
    blob_erased: 'The blob was personal data and was erased.',
    record_dropped: 'The record was dropped from the log by retention.',
  },
} as const;

type ByKind = typeof refusalReasons;

/** A precise cause. Every refusal of an ambiguous kind has one. */
export type RefusalReason = { [Kind in keyof ByKind]: keyof ByKind[Kind] }[keyof ByKind];

/** The default reason of a kind: its only reason, else the name of the kind. */
export function reasonOf(kind: string): string {
  const [only, ...others] = Object.keys((refusalReasons as Readonly<Record<string, object>>)[kind] ?? {});
  return only !== undefined && others.length === 0 ? only : kind.replaceAll('-', '_');
}

/** Every reason of a kind, including the default one. */
export function reasonsOf(kind: string): string[] {
  return [...new Set([reasonOf(kind), ...Object.keys((refusalReasons as Readonly<Record<string, object>>)[kind] ?? {})])];
}

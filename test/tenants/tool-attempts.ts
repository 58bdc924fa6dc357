/** The names of the target tenant that an attempt may use. */
export interface Target {
  tenant_id: string;
  case_id: string;
  /** A commit of its repository, once it exists. */
  commit: string;
  /** An action that the tenant staged. */
  action_id: string;
}

type Inputs = Record<string, unknown>;

/** Tools that reach what all tenants share, and why. */
export const COMMON: Readonly<Record<string, string>> = {
  http_request: 'the web: what a tenant may see there is for its credentials to say',
  http_send: 'the web: what a tenant may do there is for its credentials to say',
};

const folders = (of: Target): string[] => [`../${of.tenant_id}`, of.tenant_id, `/${of.tenant_id}`, '.countersign-trash'];
const paths = (of: Target, name: string): string[] => [name, ...folders(of).map((folder) => `${folder}/${name}`)];
const repos = (of: Target): string[] => ['app', `../${of.tenant_id}/app`, `${of.tenant_id}/app`, '..', '.'];
const inEach = (repositories: string[], more: Inputs): Inputs[] => repositories.map((repo) => ({ repo, ...more }));

/**
 * The inputs with which each impure tool can request something of a tenant. The first inputs succeed for that tenant; the others try to
 * leave the caller's own folder.
 */
export const attempts: Readonly<Record<string, (of: Target) => Inputs[]>> = {
  read_file: (of) => paths(of, 'plan.txt').map((path) => ({ path })),
  file_metadata: (of) => paths(of, 'plan.txt').map((path) => ({ path })),
  file_diff: (of) => paths(of, 'plan.txt').map((path) => ({ path, content: 'x' })),
  list_directory: (of) => ['.', ...folders(of)].map((path) => ({ path, recursive: true })),
  search_files: (of) => ['.', ...folders(of)].map((path) => ({ path, pattern: '**/plan*' })),
  search_content: (of) => ['.', ...folders(of)].map((path) => ({ path, query: 'keeps this' })),
  write_file: (of) => paths(of, 'plan.txt').map((path) => ({ path, content: 'written over', mode: 'overwrite' })),
  move_file: (of) => paths(of, 'plan.txt').map((source) => ({ source, destination: 'moved.txt' })),
  delete_file: (of) => paths(of, 'moved.txt').map((path) => ({ path })),
  git_status: (of) => inEach(repos(of), {}),
  git_log: (of) => inEach(repos(of), { revision: of.commit }),
  git_diff: (of) => inEach(repos(of), { from: of.commit }),
  git_blame: (of) => inEach(repos(of), { path: 'a.txt' }),
  git_branches: (of) => inEach(repos(of), {}),
  git_commit: (of) => inEach(repos(of), { branch: `agent/${of.case_id}/work`, message: 'Third' }),
  git_merge: (of) => inEach(repos(of), { branch: `agent/${of.case_id}/work`, revision: 'main' }),
  git_branch: (of) => inEach(repos(of), { action: 'create', branch: `agent/${of.case_id}/new` }),
  git_checkout: (of) => inEach(repos(of), { branch: `agent/${of.case_id}/side` }),
  git_push: (of) => inEach(repos(of), { branch: `agent/${of.case_id}/work`, commit: of.commit }),
  lookup_record: (of) => [{ identifier: 'X', source: `of_${of.tenant_id}` }],
  aggregate_objects: (of) => {
    const window = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
    return [{ query: { collection: `of_${of.tenant_id}`, field: 'amount' }, window, operation: 'sum' }];
  },
  search_corpus: (of) => [{ query: 'plan', corpus: `of_${of.tenant_id}` }],
  stage_action: () => [{ kind: 'send_letter', target_system: 'mail', payload: { summary: 'Answer' } }],
  request_approval: (of) => [{ subject: { kind: 'action', id: of.action_id }, queue: 'payments', rationale: 'It is above the limit.' }],
};

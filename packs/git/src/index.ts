import type { Pack } from '@countersign/tool-kit';
import { gitBlame } from './git-blame/git-blame.js';
import { gitBranch } from './git-branch/git-branch.js';
import { gitBranches } from './git-branches/git-branches.js';
import { gitCheckout } from './git-checkout/git-checkout.js';
import { gitCommit } from './git-commit/git-commit.js';
import { gitDiff } from './git-diff/git-diff.js';
import { gitLog } from './git-log/git-log.js';
import { gitMerge } from './git-merge/git-merge.js';
import { gitPush } from './git-push/git-push.js';
import { gitStatus } from './git-status/git-status.js';
import { PROTECTED_SETTING } from './names.js';
import { ROOT_SETTING, SHARING_SETTING } from './repository.js';

/** Git repositories inside the tenant's folder in COUNTERSIGN_WORKSPACE_ROOT; writes go to branches agent/<case>/… that are not protected. */
export const pack: Pack = {
  name: 'git',
  evaluations: new URL('../eval/', import.meta.url),
  settings: { [PROTECTED_SETTING]: 'main,master,release/*', [ROOT_SETTING]: './workspace' },
  folders: [{ variable: ROOT_SETTING, sharing: SHARING_SETTING }],
  tools: [gitBlame, gitBranch, gitBranches, gitCheckout, gitCommit, gitDiff, gitLog, gitMerge, gitPush, gitStatus],
};

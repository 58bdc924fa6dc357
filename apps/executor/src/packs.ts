import { pack as conformance } from '@countersign/pack-conformance';
import { pack as demo } from '@countersign/pack-demo';
import { pack as git } from '@countersign/pack-git';
import { pack as patterns } from '@countersign/pack-patterns';
import { pack as probe } from '@countersign/pack-probe';
import { pack as workspace } from '@countersign/pack-workspace';
import { httpPack } from '@countersign/runtimes';
import type { Pack } from '@countersign/tool-kit';

/** The packs that COUNTERSIGN_PACKS can name. */
export const packs: readonly Pack[] = [conformance, demo, git, httpPack, patterns, probe, workspace];

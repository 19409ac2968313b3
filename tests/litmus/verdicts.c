// SPDX-License-Identifier: MIT
/*
 * Verdicts on PTX programs that others have published, against which ptx_model.c is checked.
 * Sources:
 *   manual   PTX ISA, chapter "Memory Consistency Model", the section named
 *   ASPLOS   Lustig, Sahasrabuddhe, Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency
 *            Model", ASPLOS 2019, the figure or section named
 *   Dat3M    github.com/hernanponcedeleon/Dat3M: litmus/PTX, the file named, with the verdict of
 *            dartagnan/src/test/resources/PTXv7_5-expected.csv
 */
#include "tests/litmus/litmus.h"

#define FORBIDDEN false
#define ALLOWED   true

const struct litmus_verdict litmus_verdicts[] = {
	/* clang-format off: one row per verdict */
	{"MP+release+acquire", "ASPLOS figure 5",
	 "st.weak x 1; st.release.gpu y 1 | ld.acquire.gpu y; ld.weak x", "01", "1:r0=1 1:r1=0",
	 FORBIDDEN},
	{"MP+fences", "manual, Causality, \"Message Passing\"; Dat3M MP-sys-fence",
	 "st.weak x 1; fence.acq_rel.sys; st.relaxed.sys y 1 | "
	 "ld.relaxed.sys y; fence.acq_rel.sys; ld.weak x",
	 "01", "1:r0=1 1:r1=0", FORBIDDEN},
	{"MP+cta, two blocks", "Dat3M MP-cta",
	 "st.weak x 1; st.release.cta y 1 | ld.acquire.cta y; ld.weak x", "01", "1:r0=1 1:r1=0",
	 ALLOWED},
	{"MP+cta, same block", "Dat3M MP-cta-gpu, with the weaker scope on both sides",
	 "st.weak x 1; st.release.cta y 1 | ld.acquire.cta y; ld.weak x", "00", "1:r0=1 1:r1=0",
	 FORBIDDEN},
	{"MP+gpu, same block", "Dat3M MP-gpu",
	 "st.weak x 1; st.release.gpu y 1 | ld.acquire.gpu y; ld.weak x", "00", "1:r0=1 1:r1=0",
	 FORBIDDEN},
	{"MP+cta+gpu, same block", "Dat3M MP-cta-gpu",
	 "st.weak x 1; st.release.cta y 1 | ld.acquire.gpu y; ld.weak x", "00", "1:r0=1 1:r1=0",
	 FORBIDDEN},
	{"MP, the flag is read relaxed", "Dat3M MP-relaxed",
	 "st.release.sys x 1; st.release.sys y 1 | ld.relaxed.sys y; ld.acquire.gpu x", "00",
	 "1:r0=1 1:r1=0", ALLOWED},
	{"MP through an atomic operation", "Dat3M MP+RMW",
	 "st.relaxed.gpu x 1; st.release.gpu y 1 | atom.relaxed.gpu.add y 1 | "
	 "ld.acquire.gpu y; ld.relaxed.gpu x",
	 "000", "1:r0=1 2:r0=2 2:r1=0", FORBIDDEN},
	{"MP, release followed by a relaxed store", "Dat3M Release-acquire-pattern",
	 "st.weak y 1; st.release.sys x 1; st.relaxed.sys x 2 | "
	 "ld.relaxed.sys x; fence.acq_rel.sys; ld.weak y",
	 "01", "1:r0=2 1:r1=0", FORBIDDEN},
	{"MP with a red", "manual, \"Reductions do not form Acquire Patterns\"",
	 "st.weak x 1; st.release.gpu y 1 | red.relaxed.sys.add y 1; fence.acq_rel.gpu; ld.weak x "
	 "|| y",
	 "01", "1:r0=0 y=2", ALLOWED},
	{"MP with an atom in the place of the red",
	 "manual, \"Reductions do not form Acquire Patterns\": \"using the atom instruction "
	 "instead of "
	 "red forbids this outcome\" when the atom observes the release",
	 "st.weak x 1; st.release.gpu y 1 | atom.relaxed.sys.add y 1; fence.acq_rel.gpu; ld.weak x "
	 "|| y",
	 "01", "1:r0=1 1:r1=0", FORBIDDEN},
	{"MP with sc fences and weak flags", "Dat3M MP-dlb",
	 "st.relaxed.gpu x 1; fence.sc.gpu; st.weak y 1 | ld.weak y; fence.sc.gpu; ld.relaxed.gpu "
	 "x",
	 "01", "1:r0=1 1:r1=0", FORBIDDEN},
	{"MP, no fence in the writer", "Dat3M MP-dlb-no-fence-1",
	 "st.weak x 1; st.weak y 1 | ld.weak y; fence.sc.gpu; ld.weak x", "01", "1:r0=1 1:r1=0",
	 ALLOWED},
	{"MP, no fence in the reader", "Dat3M MP-dlb-no-fence-2",
	 "st.weak x 1; fence.sc.gpu; st.weak y 1 | ld.weak y; ld.weak x", "01", "1:r0=1 1:r1=0",
	 ALLOWED},
	{"ISA2 across scopes", "Dat3M MP-3-transitive; ASPLOS 3.4.4, cumulativity",
	 "st.weak x 1; st.release.cta y 1 | ld.acquire.cta y; st.release.gpu z 1 | "
	 "ld.acquire.gpu z; ld.weak x",
	 "001", "1:r0=1 2:r0=1 2:r1=0", FORBIDDEN},
	{"WRC+acquire+release", "ASPLOS 3.4.4, cumulativity",
	 "st.relaxed.gpu x 1 | ld.acquire.gpu x; st.release.gpu y 1 | ld.acquire.gpu y; ld.weak x",
	 "012", "1:r0=1 2:r0=1 2:r1=0", FORBIDDEN},
	{"SB", "Dat3M SB-weak", "st.weak x 1; ld.weak y | st.weak y 1; ld.weak x", "01",
	 "0:r0=0 1:r0=0", ALLOWED},
	{"SB+sc", "ASPLOS figure 6; manual, Causality, \"Store Buffering\"",
	 "st.weak x 1; fence.sc.gpu; ld.weak y | st.weak y 1; fence.sc.gpu; ld.weak x", "01",
	 "0:r0=0 1:r0=0", FORBIDDEN},
	{"SB+sc.cta, same block", "Dat3M SB+sc-cta",
	 "st.weak x 1; fence.sc.cta; ld.weak y | st.weak y 1; fence.sc.cta; ld.weak x", "00",
	 "0:r0=0 1:r0=0", FORBIDDEN},
	{"SB+sc.cta, two blocks",
	 "ASPLOS figure 6: \"requires the two fences to be morally strong\"",
	 "st.weak x 1; fence.sc.cta; ld.weak y | st.weak y 1; fence.sc.cta; ld.weak x", "01",
	 "0:r0=0 1:r0=0", ALLOWED},
	{"SB+acq_rel", "Dat3M SB+acq_rel-cta; ASPLOS 3.4.3",
	 "st.release.cta x 1; fence.acq_rel.cta; ld.acquire.cta y | "
	 "st.release.cta y 1; fence.acq_rel.cta; ld.acquire.cta x",
	 "00", "0:r0=0 1:r0=0", ALLOWED},
	{"SB with two sc fences each", "Dat3M SB+sc-gpu-multiFence",
	 "st.weak x 1; fence.sc.gpu; st.weak x 2; fence.sc.gpu; ld.weak y | "
	 "st.weak y 1; fence.sc.gpu; st.weak y 2; fence.sc.gpu; ld.weak x",
	 "01", "0:r0=1 1:r0=1", FORBIDDEN},
	{"SB+bar", "Dat3M SB+bar-const-equal; ASPLOS 3.4.2",
	 "st.weak x 1; bar; ld.weak y | st.weak y 1; bar; ld.weak x", "00", "0:r0=0 1:r0=0",
	 FORBIDDEN},
	{"SB+bar, one value", "ASPLOS 3.4.2: a barrier synchronizes in both directions",
	 "st.weak x 1; bar; ld.weak y | st.weak y 1; bar; ld.weak x", "00", "0:r0=0", FORBIDDEN},
	{"SB of atomic operations", "Dat3M Atom-SB (NVlabs/mixedproxy SB_rmw)",
	 "atom.acq_rel.gpu.add x 1; atom.acq_rel.gpu.add y 1 | "
	 "atom.acq_rel.gpu.add y 1; atom.acq_rel.gpu.add x 1",
	 "01", "0:r1=0 1:r1=0", FORBIDDEN},
	{"SB of atomic operations and plain ones", "Dat3M Atom-SB-ld (NVlabs/mixedproxy SB_rmw_2)",
	 "atom.acq_rel.gpu.add x 1; atom.acq_rel.gpu.add y 1 | st.relaxed.gpu y 1; ld.relaxed.gpu "
	 "x",
	 "01", "0:r1=0 1:r0=0", ALLOWED},
	{"LB out of thin air", "ASPLOS figure 8; manual, No-Thin-Air",
	 "ld.weak y; st.weak x r0 | ld.weak x; st.weak y r0", "01", "0:r0=1", FORBIDDEN},
	{"LB", "ASPLOS 3.5.4: only dependencies forbid it",
	 "ld.relaxed.gpu y; st.relaxed.gpu x 1 | ld.relaxed.gpu x; st.relaxed.gpu y 1", "01",
	 "0:r0=1 1:r0=1", ALLOWED},
	{"LB through an atomic operation, weak store", "Dat3M LB+RMW-a",
	 "ld.acquire.gpu y; st.weak x 1 | atom.relaxed.gpu.add x 1 | "
	 "ld.relaxed.gpu x; st.release.gpu y 1",
	 "000", "0:r0=1 1:r0=1 2:r0=2", ALLOWED},
	{"LB through an atomic operation", "Dat3M LB+RMW-c",
	 "ld.acquire.gpu y; st.relaxed.gpu x 1 | atom.relaxed.gpu.add x 1 | "
	 "ld.relaxed.gpu x; st.release.gpu y 1",
	 "000", "0:r0=1 1:r0=1 2:r0=2", FORBIDDEN},
	{"IRIW+acquire", "ASPLOS 3.4: \"the PTX model is not multi-copy atomic\"",
	 "st.release.gpu x 1 | st.release.gpu y 1 | ld.acquire.gpu x; ld.acquire.gpu y | "
	 "ld.acquire.gpu y; ld.acquire.gpu x",
	 "0123", "2:r0=1 2:r1=0 3:r0=1 3:r1=0", ALLOWED},
	{"IRIW+sc", "ASPLOS 4.2: fence.sc before every sc access restores sequential consistency",
	 "st.relaxed.gpu x 1 | st.relaxed.gpu y 1 | "
	 "ld.relaxed.gpu x; fence.sc.gpu; ld.relaxed.gpu y | "
	 "ld.relaxed.gpu y; fence.sc.gpu; ld.relaxed.gpu x",
	 "0123", "2:r0=1 2:r1=0 3:r0=1 3:r1=0", FORBIDDEN},
	{"CoRR", "ASPLOS figure 9a", "st.relaxed.gpu x 1 | ld.relaxed.gpu x; ld.weak x", "01",
	 "1:r0=1 1:r1=0", FORBIDDEN},
	{"CoRR, both strong", "manual, SC per location, \"CoRR\"",
	 "st.relaxed.sys x 1 | ld.relaxed.sys x; ld.relaxed.sys x", "01", "1:r0=1 1:r1=0",
	 FORBIDDEN},
	{"CoRR+acquire", "Dat3M CoRR-acquire-weak",
	 "st.release.gpu x 1 | ld.acquire.gpu x; ld.weak x", "01", "1:r0=1 1:r1=0", FORBIDDEN},
	{"CoWW, weak reads", "Dat3M CoWW-RR", "st.weak x 1; st.weak x 2 | ld.weak x; ld.weak x",
	 "00", "1:r0=2 1:r1=1", ALLOWED},
	{"CoRW", "ASPLOS figure 9b", "st.relaxed.gpu x 1 | ld.relaxed.gpu x; st.weak x 2 || x",
	 "01", "1:r0=1 x=1", FORBIDDEN},
	{"CoWR", "ASPLOS figure 9c", "st.relaxed.gpu x 1 | st.relaxed.gpu x 2; ld.weak x || x",
	 "01", "1:r0=1 x=2", FORBIDDEN},
	{"CoWW", "ASPLOS figure 9d", "st.weak x 1; st.weak x 2 || x", "0", "x=1", FORBIDDEN},
	{"atomic increments", "manual, Atomicity, litmus test 1",
	 "atom.relaxed.sys.add x 1 | atom.relaxed.sys.add x 1 || x", "01", "x=1", FORBIDDEN},
	{"atomic increments out of scope", "manual, Atomicity, litmus test 2",
	 "atom.relaxed.cta.add x 1 | atom.relaxed.gpu.add x 1 || x", "01", "x=1", ALLOWED},
	{"atomic increments, both", "manual, Atomicity, litmus test 2",
	 "atom.relaxed.cta.add x 1 | atom.relaxed.gpu.add x 1 || x", "01", "x=2", ALLOWED},
	/* clang-format on */
};
const uint32_t litmus_verdict_count = sizeof(litmus_verdicts) / sizeof(*litmus_verdicts);

/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of the public API. */
#ifndef ZENO_ZENO_H
#define ZENO_ZENO_H
#include "zeno/account.h"
#include "zeno/base.h"
#include "zeno/contact.h"
#include "zeno/contact_problem.h"
#include "zeno/flexible.h"
#include "zeno/machine.h"
#include "zeno/model.h"
#include "zeno/parts.h"
#include "zeno/recorder.h"
#include "zeno/result.h"
#include "zeno/scene.h"
#include "zeno/simulation.h"
#include "zeno/types.h"
#endif
